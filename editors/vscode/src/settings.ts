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

/** `read` returns the value of one setting, by its name without `torchleak.`. */
export function serverSettings(read: <T>(name: string) => T | undefined, place: Place): Settings {
  const configuration = expandPath(read<string>('configuration'), place);
  const relative = configuration && !isAbsolute(configuration) && place.workspaceFolder;
  return {
    configuration: relative ? join(relative, configuration) : configuration,
    select: read('select') ?? [],
    ignore: read('ignore') ?? [],
    extendSelect: read('extendSelect') ?? [],
    minConfidence: read('minConfidence') ?? null,
    unsafeFixes: read('unsafeFixes') ?? true,
    workspaceDiagnostics: read('workspaceDiagnostics') ?? true,
    debounce: read('debounce') ?? null,
    logLevel: read('logLevel') ?? 'info',
  };
}
