// What torchleak looks at: Python files, also those not saved yet, and the Python cells of notebooks.
export const PYTHON = [
  {scheme: 'file', language: 'python'},
  {scheme: 'untitled', language: 'python'},
  {scheme: 'vscode-notebook-cell', language: 'python'},
];
