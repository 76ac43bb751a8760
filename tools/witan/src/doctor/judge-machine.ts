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
  const errors = facts.flatMap(({ service, url, checks }) => {
    if (checks === undefined) return [`${service} does not respond at ${url}`];
    const failing = Object.keys(checks).filter((check) => checks[check] !== 'ok');
    return failing.length > 0 ? [`${service}: ${failing.join(', ')} failing`] : [];
  });
  if (errors.length === 0) {
    return ok(name, `${facts.map(({ service }) => service).join(', ')} ready`);
  }
  const advice = 'See the log of the service, and the failed checks here.';
  return fail(name, { message: `${errors.join('; ')}.`, advice });
};

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
