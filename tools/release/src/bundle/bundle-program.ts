import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureConsole, readConsolePackages } from '@witan/console-build/ensure-console';
import { listPackages } from '@witan/console-build/list-packages';
import { build } from 'esbuild';
import type { BuildOptions, BuildResult, Metafile } from 'esbuild';
import { inlineHealthProto, inlineSqlFunctions } from './plugins.ts';
import type { Program } from './programs.ts';
import { threadFiles } from './plugins.ts';

export type Bundle = {
  folder: string;
  files: Readonly<Record<string, number>>;
  packages: readonly string[];
};

const EXTERNAL = [
  // An optional native driver, which `pg` loads only if it is configured.
  'pg-native',
];

/** Bundled CommonJS packages use globals that Node does not define in ES modules. */
const BANNER = [
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  'const require = createRequireOfBundle(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

const HEALTH_CHECK = 'tools/release/bin/healthcheck.mjs';

/**
 * Bundles a program as `main.js` with its worker threads, child processes and the container's
 * health check. The bundle needs no `node_modules`. Replaces the folder. Also throws on warnings of
 * esbuild, because a warning can mean a file that is missing at run time.
 */
export const bundleProgram = async (
  root: string,
  program: Program,
  folder: string,
): Promise<Bundle> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const threads = new Set<string>();
  const options = toOptions({ root, program, folder, onThread: (file) => threads.add(file) });
  let known = -1;
  let built: BuildResult<typeof options> | undefined;
  // A thread may start further threads, so bundling repeats until it finds no new one.
  while (built === undefined || known < threads.size) {
    known = threads.size;
    built = await build({ ...options, entryPoints: toEntries(root, program, threads) });
    if (built.warnings.length > 0) throw new Error(describeWarnings(program, built.warnings));
  }
  const { metafile, outputFiles } = built;
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  const consolePackages = program.hasConsole ? await addConsole(folder) : [];
  const packages = await listPackages(root, Object.keys(metafile.inputs));
  return {
    folder,
    files: toFiles(metafile),
    packages: [...new Set([...packages, ...consolePackages])].toSorted(),
  };
};

/** Copies the console beside the code of the api-gateway; returns the packages in it. */
const addConsole = async (folder: string): Promise<string[]> => {
  await cp(await ensureConsole(), join(folder, 'console'), { recursive: true });
  return await readConsolePackages();
};

const toEntries = (
  root: string,
  { main }: Program,
  threads: ReadonlySet<string>,
): Record<string, string> => ({
  main: join(root, main),
  healthcheck: join(root, HEALTH_CHECK),
  ...Object.fromEntries([...threads].map((file) => [nameOf(file), file])),
});

const nameOf = (file: string): string => /([^/]+)\.ts$/.exec(file)?.[1] ?? file;

const toOptions = (parts: {
  root: string;
  program: Program;
  folder: string;
  onThread: (file: string) => void;
}) =>
  ({
    absWorkingDir: parts.root,
    outdir: parts.folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Must match the Node version in package.json.
    target: 'node24',
    splitting: parts.program.isSplit,
    // The URL of a thread is relative to the file that starts it, so all files are in one folder.
    chunkNames: '[name]-[hash]',
    external: EXTERNAL,
    banner: { js: BANNER },
    // Licences in comments must be distributed with the code.
    legalComments: 'linked',
    metafile: true,
    logLevel: 'silent',
    // `inlineSqlFunctions` precedes `threadFiles`, which loads every other source file.
    plugins: [inlineSqlFunctions, threadFiles(parts.onThread), inlineHealthProto],
    write: false,
  }) satisfies BuildOptions;

const describeWarnings = (
  { name }: Program,
  warnings: readonly { text: string; location: { file: string; line: number } | null }[],
): string => {
  const lines = warnings.map(({ text, location }) =>
    location ? `  ${location.file}:${location.line}: ${text}` : `  ${text}`,
  );
  return `${name} cannot be bundled without doubt:\n${lines.join('\n')}`;
};

const toFiles = ({ outputs }: Metafile): Record<string, number> =>
  Object.fromEntries(
    Object.entries(outputs)
      .filter(([path]) => path.endsWith('.js'))
      .map(([path, { bytes }]) => [path.slice(path.lastIndexOf('/') + 1), bytes]),
  );
