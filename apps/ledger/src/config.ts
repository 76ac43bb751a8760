import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, ProcessConfig } from '@witan/service-kit';

/** What the ledger needs to know. */
export type Config = {
  databaseUrl: string;
  /** PEM file of the Ed25519 keys that sign certificates and nothing else, the next one first. */
  signingKeyFile: string;
  /** Issuer named in certificates; never changes for a chain. */
  issuer: string;
  /** How often expired reservations are ended, in milliseconds. */
  sweepIntervalMs: number;
  /** How often it is looked whether the books add up, in milliseconds. */
  auditIntervalMs: number;
  /** Calls are held to the balance of their workspace. */
  isMetered: boolean;
  /** Tokens that a new workspace starts with. */
  openingCredit: number;
};

/** Far above any credit that makes sense, and a number that JSON can write. */
const CREDIT_MAX = 1_000_000_000_000_000;

/** Reads the ledger's own part of the environment. Throws ConfigError with every fault. */
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
    process: readProcessConfig(read, []),
  }));
