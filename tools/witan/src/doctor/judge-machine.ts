import { fail, ok, skipped, warn } from './check.ts';
import type { Check } from './check.ts';

/** Must match the Node version in package.json. */
const NODE_MAJOR = 24;

export const judgeNode = (version: string): Check => {
  const major = Number(version.split('.')[0]);
  if (major === NODE_MAJOR) return ok('node', version);
  const advice = `Use Node ${NODE_MAJOR}: npx witan in a clone, or the image.`;
  const finding = { message: `This is Node ${version}.`, advice };
  return major < NODE_MAJOR ? fail('node', finding) : warn('node', finding);
};

export type DiskFacts = { label: string; folder: string; freeBytes: number };

const MEBIBYTE = 1024 * 1024;
const FREE_MIN_BYTES = 256 * MEBIBYTE;
const FREE_WARN_BYTES = 2_048 * MEBIBYTE;

export const judgeDisk = ({ label, folder, freeBytes }: DiskFacts): Check => {
  const name = `disk ${label}`;
  const text = `${Math.round(freeBytes / MEBIBYTE)} MiB free at ${folder}`;
  const advice = 'Free space: PostgreSQL stops when its disk is full.';
  if (freeBytes < FREE_MIN_BYTES) return fail(name, { message: `${text}.`, advice });
  if (freeBytes < FREE_WARN_BYTES) return warn(name, { message: `${text}.`, advice });
  return ok(name, text);
};

/** Result of `/readyz` of an admin port: undefined if nothing responds. */
export type ReadinessFacts = {
  service: string;
  url: string;
  checks: Readonly<Record<string, string>> | undefined;
};

export const judgeReadiness = (facts: readonly ReadinessFacts[]): Check => {
  const name = 'services';
  if (facts.length === 0) return skipped(name, 'no admin port of a running service is known');
  const silent = facts.filter(({ checks }) => checks === undefined);
  const errors = [
    ...silent.map(({ service, url }) => `${service} does not respond at ${url}`),
    ...listChecks(facts, 'failing'),
  ];
  const degraded = listChecks(facts, 'degraded');
  if (errors.length > 0) {
    const advice = 'See the log of the service, and the failed checks here.';
    return fail(name, { message: `${[...errors, ...degraded].join('; ')}.`, advice });
  }
  if (degraded.length > 0) {
    const advice = 'The services stay ready, but calls fail until the dependency responds again.';
    return warn(name, { message: `${degraded.join('; ')}.`, advice });
  }
  return ok(name, `${facts.map(({ service }) => service).join(', ')} ready`);
};

/** Returns a text for each service that has checks in the state; an unknown state is a failure. */
const listChecks = (facts: readonly ReadinessFacts[], state: 'failing' | 'degraded'): string[] =>
  facts.flatMap(({ service, checks = {} }) => {
    const isInState = (value: string): boolean =>
      state === 'degraded' ? value === state : value !== 'ok' && value !== 'degraded';
    const names = Object.keys(checks).filter((check) => isInState(checks[check]!));
    return names.length > 0 ? [`${service}: ${names.join(', ')} ${state}`] : [];
  });

/** `baseUrl` is without credentials. */
export type ApiFacts =
  | { baseUrl: string; error: string }
  /** Status of a call with the key; undefined if there is no key. */
  | { baseUrl: string; status: number | undefined };

export const judgeApi = (facts: ApiFacts): Check => {
  const name = 'api';
  const { baseUrl } = facts;
  if ('error' in facts) {
    const message = `No answer at ${baseUrl}: ${facts.error}.`;
    return fail(name, { message, advice: 'Start the system, or correct WITAN_BASE_URL.' });
  }
  const { status } = facts;
  if (status === 401) {
    const advice = 'Create a key (`witan keys create`), or correct WITAN_API_KEY.';
    return fail(name, { message: `${baseUrl} refuses the API key (HTTP 401).`, advice });
  }
  if (status !== undefined && status >= 500) {
    const message = `${baseUrl} answers HTTP ${status}.`;
    return fail(name, { message, advice: 'See the log of the api-gateway.' });
  }
  return ok(name, status === undefined ? `${baseUrl} answers` : `${baseUrl} accepts the key`);
};

/** Judges the port of a system that does not run: the next start needs it. */
export const judgePort = ({ port, isFree }: { port: number; isFree: boolean }): Check => {
  if (isFree) return ok('port', `${port} is free`);
  const message = `Port ${port} is in use by another program.`;
  return fail('port', { message, advice: 'End it, or start with another: PORT=8090 npm start.' });
};
