// What torchleak looks at: Python files, also those not saved yet, and the Python cells of notebooks.
export const PYTHON = [
  {scheme: 'file', language: 'python'},
  {scheme: 'untitled', language: 'python'},
  {scheme: 'vscode-notebook-cell', language: 'python'},
];

/**
 * What the server is asked about. For fixes on save VS Code asks about a notebook's first cell, whatever its
 * language; the server answers for the notebook, and has findings for Python cells alone.
 */
export const ASKED = [...PYTHON, {notebook: 'jupyter-notebook'}];
