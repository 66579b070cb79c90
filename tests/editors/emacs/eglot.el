;;; eglot.el  -*- lexical-binding: t -*-
;; emacs -Q --batch -l helpers.el -l eglot.el FILE
;; Eglot, set up as docs/editors.md says (SETUP): the findings, the fixes by Eglot's own functions, the
;; saved file, which has to be EXPECT.
(unless (require 'eglot nil t)  ; before Emacs 29: the Debian package
  (let ((default-directory "/usr/share/emacs/site-lisp/elpa/"))
    (normal-top-level-add-subdirs-to-load-path))
  (require 'eglot))
(require 'flymake)
(load (getenv "SETUP") nil t)
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil
      eglot-confirm-server-edits nil flymake-no-changes-timeout 0.05 eglot-send-changes-idle-time 0.02)

(defun test-action (title finding)
  "The code action TITLE at FINDING."
  (let* ((actions (append (eglot-code-actions (flymake-diagnostic-beg finding) (flymake-diagnostic-end finding) nil nil) nil))
         (titles (mapcar (lambda (action) (plist-get action :title)) actions)))
    (unless (member "Disable TLK101 for this line" titles) (error "Offered: %S" titles))
    (or (cl-find title actions :key (lambda (action) (plist-get action :title)) :test #'cl-equalp)
        (error "Offered: %S" titles))))

(defun test-apply (action)
  "Do what Eglot does when ACTION is chosen."
  (if (fboundp 'eglot-execute)
      (eglot-execute (eglot-current-server) action)
    (eglot--apply-workspace-edit (plist-get action :edit))))

(let ((file (expand-file-name (pop command-line-args-left))))
  (test-fresh-buffer file)
  (unless (eglot-managed-p)  ; the hook waits for the command loop
    (apply #'eglot (eglot--guess-contact)))
  (test-wait "Eglot to manage the buffer" #'eglot-managed-p)
  (cl-loop
   for left from 3 downto 0 do
   (let ((found (test-wait (format "%d findings" left)
                           (lambda ()
                             (eglot--signal-textDocument/didChange)
                             (flymake-start nil)
                             (let ((found (test-findings))) (and (= (length found) left) (or found t)))))))
     (unless (= left 0)
       (dolist (finding found)
         (unless (string-match-p "kept in .* with its autograd graph" (flymake-diagnostic-text finding))
           (error "Text: %s" (flymake-diagnostic-text finding)))
         (goto-char (flymake-diagnostic-beg finding))
         (unless (and (= 8 (- (point) (line-beginning-position)))
                      (= (flymake-diagnostic-end finding) (line-end-position)))
           (error "Range: %S to %S of line %d" (flymake-diagnostic-beg finding) (flymake-diagnostic-end finding)
                  (line-number-at-pos))))
       (test-apply (test-action "keep the number, not the tensor (unsafe)" (car (last found)))))))
  (save-buffer)
  (unless (equal (test-file file) (test-file (getenv "EXPECT"))) (error "Saved: %s" (buffer-string)))
  (eglot-shutdown (eglot-current-server))
  (message "eglot: ok"))
