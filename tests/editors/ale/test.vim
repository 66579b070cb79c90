" nvim --clean --headless -n -i NONE --cmd 'set runtimepath+=ALE' FILE -S test.vim
" ALE, set up as docs/editors.md says (SETUP): the findings in its list.
function! s:Test() abort
  execute 'source' fnameescape($SETUP)
  setfiletype python
  ALELint
  let l:list = []
  " For what must happen, however slow the machine is.
  for l:turn in range(6000)
    sleep 10m
    let l:list = get(get(g:ale_buffer_info, bufnr(''), {}), 'loclist', [])
    if len(l:list) == 3 | break | endif
  endfor
  call assert_equal([[13, 9], [14, 9], [15, 9]], map(copy(l:list), '[v:val.lnum, v:val.col]'))
  call assert_equal(['W', 'torchleak', 'TLK101'],
        \ map(['type', 'linter_name', 'code'], 'get(get(l:list, 0, {}), v:val, "")'))
  call assert_match('kept in `losses` with its autograd graph', get(get(l:list, 0, {}), 'text', ''))
endfunction

try
  call s:Test()
catch
  call add(v:errors, v:exception . ' at ' . v:throwpoint)
endtry
if !empty(v:errors)
  call writefile(map(copy(v:errors), '"FAIL: " . v:val'), '/dev/stdout')
  cquit
endif
call writefile(['ok'], '/dev/stdout')
qall!
