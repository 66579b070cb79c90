#include "syntax/deep_stack.h"

#include <pthread.h>

namespace torchleak::syntax {
namespace {

struct Call {
  void (*work)(void*);
  void* argument;
};

void* Run(void* call) {
  const auto& [work, argument] = *static_cast<Call*>(call);
  work(argument);
  return nullptr;
}

}  // namespace

bool RunWithStack(std::size_t stack_size, void (*work)(void*), void* argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  Call call{work, argument};
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, stack_size) == 0 &&
                       pthread_create(&thread, &attributes, &Run, &call) == 0;
  pthread_attr_destroy(&attributes);
  return started && pthread_join(thread, nullptr) == 0;
}

}  // namespace torchleak::syntax
