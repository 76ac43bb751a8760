// npm run coverage [-- JEST ARGUMENTS]: runs the tests with coverage and prints it per project.
// Without arguments, and if all tests pass, it also writes the table of docs/coverage.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceSection } from './generated-section.ts';

type Count = { total: number; covered: number };
type FileCoverage = { lines: Count; branches: Count };
type ProjectCoverage = FileCoverage & { project: string; files: number };

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SECTION = {
  page: 'docs/coverage.md',
  begin: '<!-- coverage: written by `npm run coverage` -->',
  end: '<!-- end of coverage -->',
};
/** TypeScript sources of the projects, without generated code, tests and `main.ts`. */
const COUNTED = [
  '{apps,libs,tools}/*/src/**/*.ts',
  '!**/gen/**',
  '!**/*.test.ts',
  '!**/src/main.ts',
].map((pattern) => `--collectCoverageFrom=${pattern}`);

/** Sums the coverage of files by project, the first two folders of their path. */
export const sumByProject = (
  files: Readonly<Record<string, FileCoverage>>,
): readonly ProjectCoverage[] => {
  const projects = new Map<string, ProjectCoverage>();
  for (const [path, { lines, branches }] of Object.entries(files)) {
    const project = path.split('/', 2).join('/');
    const sum = projects.get(project) ?? {
      project,
      files: 0,
      lines: { total: 0, covered: 0 },
      branches: { total: 0, covered: 0 },
    };
    projects.set(project, {
      project,
      files: sum.files + 1,
      lines: add(sum.lines, lines),
      branches: add(sum.branches, branches),
    });
  }
  return [...projects.values()].toSorted((a, b) => (a.project < b.project ? -1 : 1));
};

const add = (a: Count, b: Count): Count => ({
  total: a.total + b.total,
  covered: a.covered + b.covered,
});

const percentOf = ({ total, covered }: Count): string =>
  total === 0 ? '' : `${((100 * covered) / total).toFixed(1)} %`;

export const toCoverageTable = (projects: readonly ProjectCoverage[]): string =>
  [
    '| project | files | lines | branches |',
    '| - | - | - | - |',
    ...projects.map(
      ({ project, files, lines, branches }) =>
        `| ${project} | ${files} | ${percentOf(lines)} | ${percentOf(branches)} |`,
    ),
  ].join('\n');

const measure = async (folder: string, args: readonly string[]): Promise<number | null> => {
  const options = [
    '--coverage',
    '--coverageProvider=v8',
    '--coverageReporters=json-summary',
    `--coverageDirectory=${folder}`,
  ];
  const command = [join(ROOT, 'tools/repo/bin/test.mjs'), ...options, ...COUNTED, ...args];
  const [code] = await once(spawn(process.execPath, command, { stdio: 'inherit' }), 'exit');
  return code as number | null;
};

const readFiles = async (folder: string): Promise<Record<string, FileCoverage>> => {
  const text = await readFile(join(folder, 'coverage-summary.json'), 'utf8');
  const { total: _total, ...files } = JSON.parse(text) as Record<string, FileCoverage>;
  return Object.fromEntries(
    Object.entries(files).map(([path, one]) => [path.slice(ROOT.length), one]),
  );
};

const main = async (args: readonly string[]): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'witan-coverage-'));
  try {
    const code = await measure(folder, args);
    const table = toCoverageTable(sumByProject(await readFiles(folder)));
    process.stdout.write(`\n${table}\n`);
    if (code !== 0) throw new Error('Tests failed, so docs/coverage.md is not written.');
    if (args.length > 0) return;
    const page = join(ROOT, SECTION.page);
    await writeFile(page, replaceSection(SECTION, await readFile(page, 'utf8'), table));
  } finally {
    await rm(folder, { recursive: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
