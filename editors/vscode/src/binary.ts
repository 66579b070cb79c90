// Which torchleak to run. Nothing here knows VS Code, so that it can be tested without.
//
//   const found = findBinary({setting: null, bundled: '/ext/bundled/torchleak', trusted: true, …});
//   if ('problem' in found) show(found.problem); else run(found.path);
import {execFile, type ExecFileException} from 'node:child_process';
import {accessSync, constants, statSync} from 'node:fs';
import {delimiter, isAbsolute, join} from 'node:path';

/** The first version that has the language server and the settings of this extension. */
export const MINIMUM_VERSION = '0.1.0';

/** Milliseconds for `BINARY version`. */
const PATIENCE = 10_000;

export interface Lookup {
  /** `torchleak.path`, its variables replaced; null when it is not set. */
  setting: string | null;
  /** Where the packaging puts the binary; it need not be there. */
  bundled: string;
  /** In a workspace that is not trusted only the bundled binary may run. */
  trusted: boolean;
  /** The variable PATH. */
  path: string;
  platform: NodeJS.Platform;
}

export interface Found {
  path: string;
  from: 'setting' | 'bundled' | 'PATH';
}

/** A sentence for the user, with the way out. */
export interface Problem {
  problem: string;
}

function whyNotExecutable(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return 'is a folder';
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
    return code === 'EACCES' ? 'is not executable' : `cannot be used (${code})`;
  }
}

/** Entries of PATH that are relative, or empty, would mean the folder that happens to be open: left out. */
function onPath(path: string, name: string): string | undefined {
  return path.split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, name))
      .find((file) => whyNotExecutable(file) === undefined);
}

export function findBinary(lookup: Lookup): Found | Problem {
  const {setting, bundled, trusted, path, platform} = lookup;
  if (trusted && setting) {
    if (!isAbsolute(setting)) {
      return {problem: `The setting torchleak.path must be an absolute path, and is "${setting}".`};
    }
    const why = whyNotExecutable(setting);
    if (why) return {problem: `The setting torchleak.path names "${setting}", which ${why}. Correct it, or clear it to use what comes with the extension.`};
    return {path: setting, from: 'setting'};
  }
  const notBundled = whyNotExecutable(bundled);
  if (!notBundled) return {path: bundled, from: 'bundled'};
  if (!trusted) {
    return {
      problem: 'This workspace is not trusted, and this build of the extension brings no torchleak of its own ' +
          'for this system. Trust the workspace to run the one that is installed.',
    };
  }
  if (notBundled !== 'does not exist') {
    return {problem: `The torchleak of the extension ${notBundled}: "${bundled}". Install the extension again.`};
  }
  const installed = onPath(path, platform === 'win32' ? 'torchleak.exe' : 'torchleak');
  if (installed) return {path: installed, from: 'PATH'};
  return {
    problem: 'torchleak was found neither in the extension nor on PATH. ' +
        'Put it on PATH, or name it in the setting torchleak.path.',
  };
}

/** -1, 0 or 1. What follows the three numbers (`-rc1`, `+g12ab`) does not count. */
export function compareVersions(a: string, b: string): number {
  const numbers = (version: string) => version.split(/[-+]/, 1)[0]!.split('.').map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < 3; ++i) {
    const difference = (left[i] || 0) - (right[i] || 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** What `torchleak version` printed: the version, or why this binary will not do. */
export function readVersion(output: string, binary: string): {version: string} | Problem {
  const version = /^torchleak (\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
  if (!version) return {problem: `"${binary}" is not torchleak: it prints "${output.trim().slice(0, 80)}".`};
  if (compareVersions(version, MINIMUM_VERSION) < 0) {
    return {
      problem: `"${binary}" is torchleak ${version}; this extension needs ${MINIMUM_VERSION} or later. ` +
          'Update it, or clear the setting torchleak.path.',
    };
  }
  return {version};
}

/** Exit statuses of shells and loaders for what they cannot run. */
const CANNOT_RUN: unknown[] = [126, 127];

function whyNoVersion(binary: string, error: ExecFileException, said: string): Problem {
  const {code, killed, signal} = error;
  if (killed) return {problem: `"${binary} version" did not end within ${PATIENCE / 1000} seconds. Is it torchleak?`};
  if (typeof code === 'number' && !CANNOT_RUN.includes(code)) {
    return {
      problem: `"${binary}" is not torchleak, or too old: "version" ends with status ${code}` +
          `${said && ` and "${said}"`}. Correct the setting torchleak.path, or clear it.`,
    };
  }
  const why = said || (signal ? `it ends with ${signal}` : error.message);
  return {problem: `"${binary}" does not run: ${why}. Is it built for this system?`};
}

/** Runs `BINARY version`. Never rejects. */
export function probe(binary: string): Promise<{version: string} | Problem> {
  return new Promise((resolve) => {
    execFile(binary, ['version'], {timeout: PATIENCE, windowsHide: true}, (error, stdout, stderr) => {
      if (!error) return resolve(readVersion(stdout, binary));
      resolve(whyNoVersion(binary, error, stderr.trim().split('\n')[0]!));
    });
  });
}
