// node validate.mjs FOLDER FILE.sarif…
//
// Checks SARIF files with the validator of the format's SDK under the rule kinds Sarif and Ghas (what
// GitHub code scanning asks for) and fails on any error or warning. The validator is installed into
// FOLDER from this folder's lock file when it is not there yet.
//
// Its exit status is 0 whatever it finds, and it writes what it found as SARIF: so that is read here.
// Exit status: 0 clean, 1 findings or no validator, 77 not runnable on this platform (ctest: skipped).
import {spawnSync} from 'node:child_process';
import {chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [folder, ...files] = process.argv.slice(2);

function fail(message, status = 1) {
  console.error(`sarif gate: ${message}`);
  process.exit(status);
}

function install(tool) {
  mkdirSync(folder, {recursive: true});
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(here, name), join(folder, name));
  }
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
                        {cwd: folder, encoding: 'utf8'});
  if (npm.status !== 0 || !existsSync(tool)) {
    fail(`npm could not install the validator into ${folder}:\n${npm.error ?? npm.stdout + npm.stderr}`);
  }
  chmodSync(tool, 0o755);  // what the package's install script would do
}

function validate(tool, file, output) {
  // Invariant globalization: the validator runs where no ICU library is installed.
  const env = {...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1'};
  const options = ['--rule-kind', 'Sarif;Ghas', '--level', 'Error;Warning', '--log', 'ForceOverwrite',
                   '--max-file-size-in-kb', '1000000', '--output', output];
  const run = spawnSync(tool, ['validate', file, ...options], {encoding: 'utf8', env});
  if (run.status !== 0) fail(`the validator failed on ${file}:\n${run.error ?? run.stdout + run.stderr}`);
  const [checked] = JSON.parse(readFileSync(output, 'utf8').replace(/^\uFEFF/, '')).runs;
  const notices = (checked.invocations ?? []).flatMap(i => i.toolExecutionNotifications ?? []);
  const broken = notices.filter(n => n.level === 'error').map(n => `${file}: ${n.message.text}`);
  return broken.concat((checked.results ?? []).map(result => {
    const region = result.locations?.[0]?.physicalLocation?.region;
    const message = result.message.text ?? JSON.stringify(result.message);
    return `${file}:${region?.startLine ?? 1}: ${result.level ?? 'warning'} ${result.ruleId}: ${message}`;
  }));
}

if (!folder || files.length === 0) fail('usage: validate.mjs FOLDER FILE.sarif…');
if (process.platform !== 'linux' || process.arch !== 'x64') {
  fail(`the validator's package is for Linux on x64, this is ${process.platform} on ${process.arch}`, 77);
}
const tool = join(folder, 'node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool');
if (!existsSync(tool)) install(tool);
const found = files.flatMap((file, i) => validate(tool, file, join(folder, `checked-${i}.sarif`)));
for (const line of found) console.error(line);
if (found.length > 0) fail(`${found.length} errors and warnings`);
console.log(`sarif gate: ${files.length} files, 0 errors, 0 warnings`);
