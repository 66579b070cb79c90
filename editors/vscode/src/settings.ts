// What the server gets to know of the user's settings. Nothing here knows VS Code.
import {homedir} from 'node:os';
import {isAbsolute, join} from 'node:path';

export interface Settings {
  configuration: string | null;
  select: string[];
  ignore: string[];
  extendSelect: string[];
  minConfidence: 'low' | 'medium' | 'high' | null;
  unsafeFixes: boolean;
  workspaceDiagnostics: boolean;
  debounce: number | null;
  logLevel: 'error' | 'warning' | 'info' | 'debug';
}

/** Where `~` and variables point, and what relative paths start from. */
export interface Place {
  workspaceFolder: string | undefined;
  environment: NodeJS.ProcessEnv;
}

/** Replaces `~`, `${workspaceFolder}`, `${userHome}` and `${env:NAME}`. Empty, or only blanks: null. */
export function expandPath(value: string | null | undefined, place: Place): string | null {
  const trimmed = value?.trim();
  if (!trimmed) return null;
  return trimmed.replace(/^~(?=$|[/\\])/, () => homedir())
      .replaceAll('${userHome}', () => homedir())
      .replace(/\$\{workspaceFolder\}/g, (whole) => place.workspaceFolder ?? whole)
      .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => place.environment[name] ?? '');
}

/** The same, and what is relative counts from the workspace folder, when there is one. */
export function absolutePath(value: string | null | undefined, place: Place): string | null {
  const path = expandPath(value, place);
  return path && !isAbsolute(path) && place.workspaceFolder ? join(place.workspaceFolder, path) : path;
}

/** `read` returns the value of one setting, by its name without `torchleak.`. */
export function serverSettings(read: <T>(name: string) => T | undefined, place: Place): Settings {
  return {
    configuration: absolutePath(read<string>('configuration'), place),
    select: read('select') ?? [],
    ignore: read('ignore') ?? [],
    extendSelect: read('extendSelect') ?? [],
    minConfidence: read<'low' | 'medium' | 'high' | ''>('minConfidence') || null,
    unsafeFixes: read('unsafeFixes') ?? true,
    workspaceDiagnostics: read('workspaceDiagnostics') ?? true,
    debounce: read('debounce') ?? null,
    logLevel: read('logLevel') ?? 'info',
  };
}
