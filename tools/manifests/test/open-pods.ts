import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { listAt, objectAt, textAt, toText } from '../src/manifest.ts';
import type { JsonObject, Manifest } from '../src/manifest.ts';
import { manifestsOfKind } from '../src/rendered.ts';
import type { Rendered, Workload } from '../src/rendered.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SECRETS = fileURLToPath(new URL('../src/make-secrets.ts', import.meta.url));

export type Ports = Readonly<Record<string, { grpc: number; admin: number; http: number }>>;
type Servers = { postgresUrl: string; natsUrl: string; ports: Ports };

/** Runs pods as local processes with the environment and files of their manifests. */
export type Pods = AsyncDisposable & {
  runJob: (rendered: Rendered, job: Workload) => string;
  runInService: (rendered: Rendered, workload: Workload, args: readonly string[]) => string;
  startService: (rendered: Rendered, workload: Workload) => Promise<void>;
  stop: () => Promise<(number | null)[]>;
};

export const openPods = async (servers: Servers): Promise<Pods> => {
  const folder = await mkdtemp(join(tmpdir(), 'witan-pods-'));
  const items = readSecrets();
  const { cert, key } = createTestCertificate(['localhost']);
  const children: ChildProcess[] = [];
  const readEnvironment = (rendered: Rendered, workload: Workload): Record<string, string> =>
    Object.fromEntries(
      listAt(workload.containers[0], 'env').flatMap((variable) => {
        const value = valueOf(variable, { rendered, items });
        const run = join(folder, workload.name);
        return value ? [[textAt(variable, 'name'), toLocalValue(value, run, servers)]] : [];
      }),
    );
  const witan = (args: readonly string[], env: Record<string, string>): string =>
    execFileSync(process.execPath, [join(ROOT, 'tools/witan/src/main.ts'), ...args], {
      env: { PATH: process.env.PATH, ...env },
    }).toString();
  const stop = (): Promise<(number | null)[]> =>
    Promise.all(
      children.splice(0).map(async (child) => {
        if (child.exitCode !== null) return child.exitCode;
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const [code] = (await ended) as [number | null];
        return code;
      }),
    );
  return {
    runJob: (rendered, job) => {
      const args = job.containers[0]?.args;
      return witan(Array.isArray(args) ? args.map(toText) : [], readEnvironment(rendered, job));
    },
    runInService: (rendered, workload, args) => witan(args, readEnvironment(rendered, workload)),
    startService: async (rendered, workload) => {
      const { name } = workload;
      const tls = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': cert };
      await writeVolumes(join(folder, name), workload, { items, tls });
      const { grpc, admin, http } = servers.ports[name]!;
      const env = {
        ...readEnvironment(rendered, workload),
        GRPC_ADDRESS: `127.0.0.1:${grpc}`,
        ADMIN_PORT: String(admin),
        ...(name === 'api-gateway' ? { PORT: String(http) } : {}),
      };
      const main = join(ROOT, `apps/${name}/src/main.ts`);
      const child = spawn(process.execPath, [main], {
        env,
        // The child reports readiness over the IPC channel and ends when this channel closes.
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.push(child);
      const ended = once(child, 'exit').then(() => undefined);
      const outcome: unknown = await Promise.race([once(child, 'message'), ended]);
      if (outcome === undefined)
        throw new Error(`${name} ended with ${child.exitCode} at its start.`);
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
};

const readSecrets = (): Manifest[] => {
  const text = execFileSync(process.execPath, [SECRETS]).toString();
  return (JSON.parse(text) as { items: Manifest[] }).items;
};

const dataOf = (items: readonly Manifest[], name: string): JsonObject => {
  const found = items.find(({ metadata }) => metadata.name === name);
  return { ...objectAt(found, 'data'), ...objectAt(found, 'stringData') };
};

const valueOf = (
  variable: JsonObject,
  { rendered, items }: { rendered: Rendered; items: readonly Manifest[] },
): string => {
  const [reference] = Object.values(objectAt(variable, 'valueFrom'));
  if (reference === undefined) return textAt(variable, 'value');
  const all = [...items, ...manifestsOfKind(rendered, 'ConfigMap')];
  return textAt(dataOf(all, textAt(reference, 'name')), textAt(reference, 'key'));
};

const toLocalValue = (
  value: string,
  run: string,
  { postgresUrl, natsUrl, ports }: Servers,
): string =>
  value
    .replaceAll('/run/witan', run)
    .replace(/@postgres:5432\/witan$/, `@${new URL(postgresUrl).host}/witan`)
    .replace(/^nats:.*/, natsUrl)
    .replace(/^dns:\/\/\/([a-z-]+):\d+$/, (_all, name: string) => {
      return `dns:///localhost:${ports[name]!.grpc}`;
    });

const writeVolumes = async (
  run: string,
  { pod, containers }: Workload,
  { items, tls }: { items: readonly Manifest[]; tls: Record<string, string> },
): Promise<void> => {
  for (const mount of listAt(containers[0], 'volumeMounts')) {
    const volume = listAt(pod, 'volumes').find(({ name }) => name === mount.name);
    const source = objectAt(volume, volume?.secret ? 'secret' : 'configMap');
    const name = textAt(source, 'secretName') || textAt(source, 'name');
    const data = name.endsWith('-tls') ? tls : dataOf(items, name);
    const selectedFiles = listAt(source, 'items').map(({ key, path }) => [
      toText(path),
      data[toText(key)],
    ]);
    const target = textAt(mount, 'mountPath').replace('/run/witan', run);
    await mkdir(target, { recursive: true });
    for (const [path, text] of selectedFiles.length > 0 ? selectedFiles : Object.entries(data)) {
      await writeFile(join(target, toText(path)), toText(text), { mode: 0o600 });
    }
  }
};
