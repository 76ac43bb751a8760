import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { runTool, type Outcome } from './run-tool.ts';

const GENERATED = 'libs/contracts/src/gen';

export type Drift = { path: string; kind: 'changed' | 'missing' | 'left over' };

/**
 * Generates the contracts into a temporary folder and compares them byte by byte with the committed
 * ones.
 */
export const checkCodegen = async (root: string): Promise<Outcome> => {
  const folder = await mkdtemp(join(tmpdir(), 'witan-codegen-'));
  try {
    const generated = await runTool(root, 'buf', ['generate', '--output', folder]);
    if (!generated.ok) return generated;
    const drift = await compareFolders(join(root, GENERATED), join(folder, GENERATED));
    if (drift.length === 0) return { ok: true, output: '' };
    const lines = drift.map(({ path, kind }) => `${GENERATED}/${path}: ${kind}`);
    const advice = 'The generated code does not match proto/: run `npm run codegen` and commit.';
    return { ok: false, output: [...lines, advice].join('\n') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export const compareFolders = async (present: string, wanted: string): Promise<Drift[]> => {
  const [old, fresh] = await Promise.all([readFolder(present), readFolder(wanted)]);
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  return paths.flatMap((path): Drift[] => {
    const before = old.get(path);
    const after = fresh.get(path);
    if (!after) return [{ path, kind: 'left over' }];
    if (!before) return [{ path, kind: 'missing' }];
    return before.equals(after) ? [] : [{ path, kind: 'changed' }];
  });
};

const readFolder = async (folder: string): Promise<Map<string, Buffer>> => {
  if (!existsSync(folder)) return new Map();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, Buffer]> => {
        const path = file.slice(folder.length + 1).replaceAll(sep, '/');
        return [path, await readFile(file)];
      }),
    ),
  );
};
