import { AUDIT_INTERVAL_MS } from './evidence/read-audit-violations.ts';

/**
 * Exceeds the tokens that any run uses, so that the balance neither refuses nor shortens a call.
 */
const OPENING_CREDIT = 1_000_000_000_000;

/** Returns the `PATH`, on which a system of separate processes finds its nats-server. */
export const readPath = (): string => process.env['PATH'] ?? '';

/** Environment in which the system may post webhooks to this machine. */
export const createEventEnvironment = () => ({
  WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
  LOG_LEVEL: 'warn',
});

/** Environment for metered calls with frequent audits and sweeps. */
export const createMeteredEnvironment = (completionTimeoutMs: number) => ({
  WITAN_COMPLETION_TIMEOUT_MS: String(completionTimeoutMs),
  WITAN_SWEEP_INTERVAL_MS: '200',
  WITAN_AUDIT_INTERVAL_MS: String(AUDIT_INTERVAL_MS),
  METERING: 'metered',
  WITAN_OPENING_CREDIT: String(OPENING_CREDIT),
  LOG_LEVEL: 'warn',
});

/** Environment in which the provider `openai` is at `baseUrl`. */
export const createProviderEnvironment = (baseUrl: string) => ({
  OPENAI_BASE_URL: baseUrl,
  OPENAI_API_KEY: 'sk-faults',
});
