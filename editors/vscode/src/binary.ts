import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

/**
 * find returns the absolute path of the program that a setting names: an absolute path, one below the home folder (~/bin/vflc), or a name that is looked for in
 * the folders of PATH. A relative path is refused, and so are relative folders in PATH: either would take a program from whatever folder is open.
 */
export function find(setting: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const name = setting.trim() || 'vflc';
  if (/^~[/\\]/.test(name)) return runnable(path.join(os.homedir(), name.slice(2)), env);
  if (path.isAbsolute(name)) return runnable(name, env);
  if (/[/\\]/.test(name)) return undefined;
  for (const folder of (env.PATH ?? env.Path ?? '').split(path.delimiter)) {
    const found = path.isAbsolute(folder) ? runnable(path.join(folder, name), env) : undefined;
    if (found) return found;
  }
  return undefined;
}

function runnable(file: string, env: NodeJS.ProcessEnv): string | undefined {
  const endings = process.platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE').split(';')] : [''];
  for (const ending of endings) {
    try {
      fs.accessSync(file + ending, fs.constants.X_OK);
      if (fs.statSync(file + ending).isFile()) return file + ending;
    } catch {
      // not this one
    }
  }
  return undefined;
}

/** missing says what is wrong with a setting whose program is not found, and the way out. */
export function missing(setting: string): string {
  const relative = /[/\\]/.test(setting) && !path.isAbsolute(setting) && !/^~[/\\]/.test(setting);
  return relative
    ? `The setting vflc.path is "${setting}", a path that depends on the folder that is open: give an absolute one.`
    : `The program "${setting.trim() || 'vflc'}" is not there. Install vflc, or give the path of the program in the setting vflc.path.`;
}
