import { callGraph } from '@witan/contracts/call-graph';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { SERVICES } from '../bundle/programs.ts';
import type { Installation } from './open-installation.ts';
import { startProgram } from './start-program.ts';
import type { RunningProgram } from './start-program.ts';

export type Build = {
  label: string;
  argvOf: (service: string) => readonly string[];
  folderOf: (service: string) => Promise<string>;
};

export type Fleet = AsyncDisposable & {
  start: (service: string, build: Build) => Promise<RunningProgram>;
  /**
   * Stops a service and returns the exit code: null if a signal ended it, undefined if it was not
   * started.
   */
  stop: (service: string) => Promise<number | null | undefined>;
  baseUrl: string;
  running: ReadonlyMap<string, RunningProgram>;
};

/**
 * Chooses the ports of the services and returns functions that start and stop the services with
 * production settings. `openaiUrl` is the URL of the only hosted provider.
 */
export const openFleet = async (
  installation: Installation,
  { openaiUrl }: { openaiUrl: string },
): Promise<Fleet> => {
  const ports = new Map<string, number>();
  for (const service of SERVICES) ports.set(service, await choosePort({ wanted: 0 }));
  const running = new Map<string, RunningProgram>();
  const stop: Fleet['stop'] = async (service) => {
    const code = await running.get(service)?.stop();
    running.delete(service);
    return code;
  };
  return {
    running,
    stop,
    baseUrl: `http://127.0.0.1:${ports.get('api-gateway')}`,
    start: async (service, build) => {
      const envFile = `--env-file=${installation.envFileOf(service)}`;
      const program = await startProgram({
        name: `${service} (${build.label})`,
        argv: [envFile, ...build.argvOf(service)],
        env: toEnvironment(service, ports, openaiUrl),
        cwd: await build.folderOf(service),
      });
      running.set(service, program);
      return program;
    },
    [Symbol.asyncDispose]: async () => {
      for (const service of SERVICES.toReversed()) await stop(service);
    },
  };
};

const HOST = '127.0.0.1';

const toEnvironment = (
  service: string,
  ports: ReadonlyMap<string, number>,
  openaiUrl: string,
): Record<string, string> => ({
  WITAN_ENV: 'production',
  LOG_LEVEL: 'warn',
  WITAN_HOST: HOST,
  ADMIN_HOST: HOST,
  ADMIN_PORT: '0',
  PORT: String(ports.get(service)),
  GRPC_ADDRESS: `${HOST}:${ports.get(service)}`,
  ...Object.fromEntries(
    Object.keys(callGraph[service] ?? {}).map((callee) => [
      `${callee.toUpperCase().replaceAll('-', '_')}_ADDRESS`,
      `${HOST}:${ports.get(callee)}`,
    ]),
  ),
  ...(service === 'llm-gateway'
    ? { WITAN_DEFAULT_PROVIDER: 'offline', OPENAI_BASE_URL: openaiUrl, OPENAI_API_KEY: 'sk-test' }
    : {}),
});
