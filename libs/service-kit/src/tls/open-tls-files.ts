import { experimental } from '@grpc/grpc-js';
import type { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/create-log.ts';
import { repeatEvery } from '../schedule/repeat-every.ts';
import { readTlsFiles } from './read-tls-files.ts';
import type { TlsMaterial, TlsPaths } from './read-tls-files.ts';

/** Mutual TLS from files that may be replaced while the process runs. */
export type TlsFiles = AsyncDisposable & {
  /** Credentials of a server that requires a certificate of the authority from its clients. */
  server: ServerCredentials;
  channel: ChannelCredentials;
  expiry: () => TlsMaterial['expiry'];
};

type TlsFilesOptions = {
  paths: TlsPaths;
  log: Log;
  refreshMs?: number;
  now?: () => number;
};

/** Kubernetes itself takes about a minute to update the files of a Secret in a pod. */
const REFRESH_MS = 10_000;
/** Minimum time between two warnings of the expiry. */
const WARN_EVERY_MS = 24 * 60 * 60_000;

/**
 * Reads the files, rejects if they cannot be used, and rereads them every 10 s. New connections use
 * the new files; connections and their calls are not closed. Files that cannot be used are logged
 * once, if two readings in a row find them, and the previous ones stay in use: one reading may see
 * the files of before and after an exchange.
 */
export const openTlsFiles = async ({
  paths,
  log,
  refreshMs = REFRESH_MS,
  now = Date.now,
}: TlsFilesOptions): Promise<TlsFiles> => {
  let material = await readTlsFiles(paths);
  let failures = 0;
  const source = createSource(() => material);
  const warnOfExpiry = createExpiryWarning(log, now);
  const reread = async (): Promise<void> => {
    const found = await readTlsFiles(paths);
    failures = 0;
    if (!isSame(found, material)) {
      material = found;
      source.notify();
      const { serialNumber, expiry } = found;
      log.info({ event: 'tls_files_reloaded', serialNumber, expiry }, 'TLS files reloaded');
    }
    warnOfExpiry(material);
  };
  const onFailure = (err: unknown): void => {
    warnOfExpiry(material);
    failures += 1;
    if (failures !== 2) return;
    log.error(
      { event: 'tls_files_rejected', err },
      'TLS files cannot be used, the previous ones stay in use; write matching PEM files',
    );
  };
  warnOfExpiry(material);
  const repetition = repeatEvery(refreshMs, reread, onFailure);
  const {
    createCertificateProviderServerCredentials,
    createCertificateProviderChannelCredentials,
  } = experimental;
  return {
    server: createCertificateProviderServerCredentials(source, source, true),
    channel: createCertificateProviderChannelCredentials(source, source),
    expiry: () => material.expiry,
    [Symbol.asyncDispose]: repetition.stop,
  };
};

const isSame = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.cert.equals(b.cert) && a.key.equals(b.key) && a.ca.equals(b.ca);

/**
 * Creates the source of certificates for grpc-js, whose own one for files refuses all connections
 * while a file is unreadable or does not match.
 */
const createSource = (
  read: () => TlsMaterial,
): experimental.CertificateProvider & { notify: () => void } => {
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();
  const readCa = () => ({ caCertificate: read().ca });
  const readIdentity = () => ({ certificate: read().cert, privateKey: read().key });
  return {
    // Listeners are called later, because a server adds them before it can accept an update.
    addCaCertificateListener: (listener) => {
      caListeners.add(listener);
      process.nextTick(() => listener(readCa()));
    },
    removeCaCertificateListener: (listener) => void caListeners.delete(listener),
    addIdentityCertificateListener: (listener) => {
      identityListeners.add(listener);
      process.nextTick(() => listener(readIdentity()));
    },
    removeIdentityCertificateListener: (listener) => void identityListeners.delete(listener),
    notify: () => {
      for (const listener of caListeners) listener(readCa());
      for (const listener of identityListeners) listener(readIdentity());
    },
  };
};

/** Returns a function that warns, at most once a day, of files whose renewal is late. */
const createExpiryWarning = (log: Log, now: () => number): ((material: TlsMaterial) => void) => {
  let warnedAt = -Infinity;
  return ({ expiry, renewalDueAt, serialNumber }) => {
    if (now() < renewalDueAt.getTime() || now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = now();
    log.warn(
      { event: 'tls_certificate_expires_soon', serialNumber, expiry },
      'The TLS certificate or its authority expires soon and is not renewed yet',
    );
  };
};

/** Registers the metric of the expiry, which has no value without TLS. */
export const createTlsMetrics = (registry: Registry, tls: TlsFiles | undefined): void => {
  const gauge = new Gauge({
    name: 'tls_certificate_expiry_timestamp_seconds',
    help: 'When the TLS certificate in use and its authority expire, as a Unix time.',
    labelNames: ['file'] as const,
    registers: [],
    collect() {
      if (!tls) return;
      const { certificate, authority } = tls.expiry();
      this.set({ file: 'certificate' }, certificate.getTime() / 1_000);
      this.set({ file: 'authority' }, authority.getTime() / 1_000);
    },
  });
  registry.registerMetric(gauge);
};
