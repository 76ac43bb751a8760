import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Engine = { baseUrl: string; model: string; name: string; close: () => Promise<void> };

const FOLDER = fileURLToPath(new URL('../../tools/models/engine/', import.meta.url));
const INSTALL = 'npm install --prefix tools/models/engine --omit=optional --ignore-scripts';
// They spin while they wait for each other, which is slow on a machine with other work.
const THREADS = '2';
const STARTED_MS = 120_000;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Opens a model: of the OpenAI-compatible runtime at WITAN_MODELS_URL, or else from a GGUF file in
 * the folder WITAN_MODELS, served by node-llama-cpp. Returns the reason as a text if there is none.
 */
export const openEngine = async (
  env: Env,
  { wanted, port }: { wanted: string | undefined; port: number },
): Promise<Engine | string> => {
  const { WITAN_MODELS_URL: url, WITAN_MODELS: folder, WITAN_MODELS_THREADS: threads } = env;
  if (url) {
    const model = wanted ?? (await readFirstModel(url));
    return { baseUrl: url, model, name: 'runtime', close: async () => {} };
  }
  if (!folder) {
    return 'WITAN_MODELS names no folder with GGUF files, and WITAN_MODELS_URL no runtime';
  }
  if (!existsSync(join(FOLDER, 'node_modules'))) return `the engine is not installed: ${INSTALL}`;
  const files = listFiles(folder);
  const file = files.find((path) => !wanted || path.endsWith(`/${wanted}.gguf`));
  if (!file) return `${folder} has no file ${wanted ?? '*'}.gguf`;
  const model = file.slice(file.lastIndexOf('/') + 1, -'.gguf'.length);
  const script = join(FOLDER, 'serve.mjs');
  const child = spawn('node', [script, file, model, String(port), threads ?? THREADS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const signal = AbortSignal.timeout(STARTED_MS);
  await Promise.race([
    once(child.stdout, 'data', { signal }),
    once(child, 'exit').then(() => Promise.reject(new Error('The engine ended before its start.'))),
  ]);
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { baseUrl: `http://127.0.0.1:${port}/v1`, model, name: 'node-llama-cpp', close };
};

const listFiles = (folder: string): string[] =>
  [folder, join(folder, 'gguf')]
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).map((name) => join(path, name)))
    .filter((path) => path.endsWith('.gguf'))
    .toSorted();

const readFirstModel = async (url: string): Promise<string> => {
  const list = (await (await fetch(`${url}/models`)).json()) as { data: { id: string }[] };
  return list.data[0]!.id;
};
