;;; linters.el  -*- lexical-binding: t -*-
;; emacs -Q --batch -l helpers.el -l linters.el FILE
;; Flymake (FLYMAKE) and Flycheck (FLYCHECK) over the command line, set up as docs/editors.md says, in a
;; buffer that is not saved: places, kinds, messages.
(let ((default-directory "/usr/share/emacs/site-lisp/elpa/"))
  (normal-top-level-add-subdirs-to-load-path))
(require 'flymake)
(require 'flycheck)
(load (getenv "FLYMAKE") nil t)
(load (getenv "FLYCHECK") nil t)

(defun test-lines (expected what condition)
  "Wait until CONDITION returns the numbers of lines EXPECTED."
  (test-wait (format "%s at lines %S" what expected)
             (lambda () (equal (sort (funcall condition) #'<) expected))))

(defun test-message (expected message)
  "MESSAGE has to match EXPECTED."
  (unless (string-match-p expected message) (error "Message: %s" message)))

(test-fresh-buffer (expand-file-name (pop command-line-args-left)))
(goto-char (point-min))
(insert "# not saved\n")

(flymake-mode 1)
(flymake-start nil)
(test-lines '(14 15 16) "Flymake"
            (lambda ()
              (mapcar (lambda (finding) (line-number-at-pos (flymake-diagnostic-beg finding))) (test-findings))))
(unless (eq :warning (flymake-diagnostic-type (car (test-findings)))) (error "Type"))
(test-message "^TLK101 `loss` is kept" (flymake-diagnostic-text (car (test-findings))))
(flymake-mode -1)
(setq torchleak-flymake--process nil)  ; Flymake wants no report any more

(setq flycheck-checkers '(python-torchleak))
(flycheck-mode 1)
(flycheck-buffer)
(test-lines '(14 15 16) "Flycheck" (lambda () (mapcar #'flycheck-error-line flycheck-current-errors)))
(let ((first (car flycheck-current-errors)))
  (unless (and (equal (flycheck-error-id first) "TLK101") (eq (flycheck-error-level first) 'warning)
               (= (flycheck-error-column first) 9))
    (error "Flycheck: %S" first))
  (test-message "^`loss` is kept" (flycheck-error-message first)))

;; One that `--fix` can fix, marked so by the command line.
(goto-char (point-max))
(insert "\nx = 1  # noqa: TLK101\n")
(flycheck-buffer)
(test-lines '(14 15 16 19) "Flycheck" (lambda () (mapcar #'flycheck-error-line flycheck-current-errors)))
(test-message "^nothing is suppressed" (flycheck-error-message (car (last flycheck-current-errors))))
(flycheck-mode -1)
(flymake-mode 1)
(flymake-start nil)
(test-lines '(14 15 16 19) "Flymake"
            (lambda ()
              (mapcar (lambda (finding) (line-number-at-pos (flymake-diagnostic-beg finding))) (test-findings))))
(test-message "^TLK001 nothing is suppressed" (flymake-diagnostic-text (car (last (test-findings)))))
(flymake-mode -1)
(set-buffer-modified-p nil)
(message "linters: ok")
