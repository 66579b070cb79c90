;;; helpers.el  -*- lexical-binding: t -*-
;; For the tests of Emacs: batch mode has no command loop, so that waiting means running timers and
;; process filters by hand.
(require 'cl-lib)
(setq backtrace-on-error-noninteractive nil)  ; the message says enough

(defvar test-patience 60 "Seconds for what must happen, however slow the machine is.")

(defun test-wait (what condition)
  "Wait until CONDITION returns something, and return that; WHAT says what is waited for."
  (let ((end (+ (float-time) test-patience)) value)
    (while (and (not (setq value (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.02))
    (or value (error "Still waiting: %s" what))))

(defun test-file (file)
  "The bytes of FILE."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally file)
    (buffer-string)))

(defun test-fresh-buffer (file)
  "Visit FILE, its mode hooks included."
  (setq make-backup-files nil create-lockfiles nil auto-save-default nil)
  (prefer-coding-system 'utf-8)
  (switch-to-buffer (find-file-noselect file))
  (current-buffer))

(defun test-findings ()
  "The diagnostics of Flymake in this buffer, from the top."
  (sort (copy-sequence (flymake-diagnostics))
        (lambda (a b) (< (flymake-diagnostic-beg a) (flymake-diagnostic-beg b)))))
