import { readFileSync } from 'node:fs';
import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, EnvReader, ProcessConfig } from '@witan/service-kit';
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
};

/**
 * Limit of the opening credit in tokens: far above any realistic one, and exact as a JSON number.
 */
const CREDIT_MAX = 1_000_000_000_000_000;

export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('ledger', env, (read) => ({
    databaseUrl: read.text('DATABASE_URL'),
    signingKeyFile: read.text('WITAN_SIGNING_KEY_FILE'),
    issuer: read.text('WITAN_ISSUER', 'witan'),
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
    process: readProcessConfig(read, []),
  }));

const PRICES_FILE = 'WITAN_PRICES_FILE';

const readPrices = (read: EnvReader): PriceTable | undefined => {
  const file = read.optional(PRICES_FILE);
  if (file === undefined) return undefined;
  try {
    return parsePriceFile(readFileSync(file, 'utf8'));
  } catch (error) {
    read.addError(`${PRICES_FILE}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
};
