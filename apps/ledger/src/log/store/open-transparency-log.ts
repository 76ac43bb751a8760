import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { parseNoteKey } from '@witan/proof/tlog/note';
import { limitScopedClients } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createCertificateStore } from '../../chain/store/certificate-store.ts';
import type { LogConfig } from '../log-config.ts';
import { createLogSigner } from '../log-keys.ts';
import { createLogPolicy } from '../log-policy.ts';
import { createAnchorFile } from './anchor-file.ts';
import { ensureIdentity } from './epoch-store.ts';
import { ensureLogKeys } from './log-key-store.ts';
import { createLogStores } from './log-stores.ts';
import { createTransparencyLog } from '../transparency-log.ts';
import type { TransparencyLog } from '../transparency-log.ts';
import { parseSigners } from '../../signing-key/signer.ts';
import type { Signer } from '../../signing-key/signer.ts';

const SECRET_BYTES = 32;
/** Callers without credentials share one connection; they delay neither commits nor workspaces. */
const PUBLIC_READS = { runningMax: 1, pendingMax: 20 };

/**
 * Returns the transparency log if one is configured. Throws if its keys or its policy are unusable,
 * before its origin is stored, which never changes afterwards.
 */
export const openTransparencyLog = async (
  { log: config, issuer }: { log: LogConfig | undefined; issuer: string },
  database: Database,
  reads: Database,
): Promise<TransparencyLog | undefined> => {
  if (!config) return undefined;
  const signer = createLogSigner(readSigners(config.keyFile), config.origin);
  // Only to refuse a policy before anything is stored.
  createLogPolicy(config.policy, signer);
  const newSecret = (): Uint8Array => randomBytes(SECRET_BYTES);
  const identity = await ensureIdentity(database, { origin: config.origin, secret: newSecret() });
  const vkeys = await ensureLogKeys(database, signer.vkeys);
  const policy = createLogPolicy(config.policy, signer, vkeys);
  const publicReads = limitScopedClients(database, PUBLIC_READS);
  const stores = createLogStores({ database, reads, publicReads }, createCertificateStore(reads));
  const { intervalMs, isCover } = config;
  const pause = (): Promise<void> => setImmediate();
  return createTransparencyLog(stores, {
    ...{ identity, issuer, signer, policy, intervalMs, isCover, newSecret, pause },
    keys: vkeys.map(parseNoteKey),
    now: Date.now,
    random: Math.random,
    anchor: config.anchorFile === undefined ? undefined : createAnchorFile(config.anchorFile),
  });
};

const KEY_FILE = 'WITAN_LOG_KEY_FILE';

const readSigners = (file: string): Signer[] => {
  try {
    return parseSigners(readFileSync(file, 'utf8'), KEY_FILE);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${KEY_FILE}, ${file}: ${reason}`, { cause });
  }
};
