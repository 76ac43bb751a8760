import { readFileSync } from 'node:fs';
import { parsePolicy } from '@witan/proof';
import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, EnvReader, ProcessConfig } from '@witan/service-kit';
import type { LogConfig } from './log/log-config.ts';
import { parsePriceFile } from './usage/prices.ts';
import type { PriceTable } from './usage/price-table.ts';

export type Config = {
  databaseUrl: string;
  signingKeyFile: string;
  /** Issuer named in certificates. It must never change, because every chain depends on it. */
  issuer: string;
  sweepIntervalMs: number;
  auditIntervalMs: number;
  /** If true, every call reserves tokens from the balance of its workspace. */
  isMetered: boolean;
  openingCredit: number;
  /** The operator's prices, which take precedence over the pinned table; undefined if none. */
  prices: PriceTable | undefined;
  /** The transparency log; undefined if it is off. */
  log: LogConfig | undefined;
};

/**
 * Limit of the opening credit in tokens: far above any realistic one, and exact as a JSON number.
 */
const CREDIT_MAX = 1_000_000_000_000_000;

export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('ledger', env, (read) => ({
    databaseUrl: read.text('DATABASE_URL'),
    signingKeyFile: read.text('WITAN_SIGNING_KEY_FILE'),
    issuer: readIssuer(read),
    sweepIntervalMs: read.integer('WITAN_SWEEP_INTERVAL_MS', {
      min: 100,
      max: 600_000,
      fallback: 5_000,
    }),
    auditIntervalMs: read.integer('WITAN_AUDIT_INTERVAL_MS', {
      min: 100,
      max: 86_400_000,
      fallback: 600_000,
    }),
    isMetered: read.oneOf('METERING', ['unmetered', 'metered'], 'unmetered') === 'metered',
    openingCredit: read.integer('WITAN_OPENING_CREDIT', { min: 0, max: CREDIT_MAX, fallback: 0 }),
    prices: readPrices(read),
    log: readLog(read),
    process: readProcessConfig(read, []),
  }));

/** Every chain and map key is a hash over the issuer, a line feed and the workspace. */
const readIssuer = (read: EnvReader): string => {
  const issuer = read.text('WITAN_ISSUER', 'witan');
  if (issuer.includes('\n') || !issuer.isWellFormed()) {
    read.addError('WITAN_ISSUER must be one line of well-formed Unicode');
  }
  return issuer;
};

const PRICES_FILE = 'WITAN_PRICES_FILE';

const readPrices = (read: EnvReader): PriceTable | undefined => {
  const file = read.optional(PRICES_FILE);
  if (file === undefined) return undefined;
  try {
    return parsePriceFile(readFileSync(file, 'utf8'));
  } catch (error) {
    read.addError(`${PRICES_FILE}: ${messageOf(error)}`);
    return undefined;
  }
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A URL without its scheme, as C2SP recommends for origins. */
const ORIGIN =
  /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?(?:\/[A-Za-z0-9._~-]{1,64}){0,8}$/;

const readLog = (read: EnvReader): LogConfig | undefined => {
  const origin = read.optional('WITAN_LOG_ORIGIN');
  const keyFile = read.optional('WITAN_LOG_KEY_FILE');
  const policyFile = read.optional('WITAN_LOG_POLICY_FILE');
  const anchorFile = read.optional('WITAN_LOG_ANCHOR_FILE');
  const intervalMs = read.integer('WITAN_LOG_INTERVAL_MS', {
    min: 200,
    max: 600_000,
    fallback: 5_000,
  });
  const isCover = read.oneOf('WITAN_LOG_COVER', ['false', 'true'], 'false') === 'true';
  if (origin === undefined && keyFile === undefined) return undefined;
  if (origin === undefined || keyFile === undefined) {
    read.addError('WITAN_LOG_ORIGIN and WITAN_LOG_KEY_FILE are set together, or neither');
    return undefined;
  }
  if (!ORIGIN.test(origin)) {
    read.addError('WITAN_LOG_ORIGIN is a URL without its scheme, like log.example.com/witan');
  }
  const policy = policyFile === undefined ? undefined : readPolicy(read, policyFile);
  return { origin, keyFile, intervalMs, isCover, policy, anchorFile };
};

const readPolicy = (read: EnvReader, file: string): string | undefined => {
  try {
    const text = readFileSync(file, 'utf8');
    parsePolicy(text);
    return text;
  } catch (error) {
    read.addError(`WITAN_LOG_POLICY_FILE: ${messageOf(error)}`);
    return undefined;
  }
};
