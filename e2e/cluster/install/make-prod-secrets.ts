import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@witan/manifests/manifest';
import { AUTHORITY, issueCertificate } from '../node/certificates.ts';

type Secret = Manifest & { stringData?: Record<string, string> };

/**
 * Returns the Secrets of overlays/prod, made of those of overlays/dev: the data stores are in
 * namespaces of their own, and each service has a certificate of the cluster's authority.
 */
export const makeProdSecrets = async (items: readonly Secret[]): Promise<Secret[]> => {
  const moved = items.map(moveStores);
  const stores = moved
    .filter(({ metadata: { name } }) => name === 'postgres' || name === 'nats')
    .map((secret) => ({
      ...secret,
      metadata: { ...secret.metadata, namespace: secret.metadata.name },
    }));
  const services = items
    .filter(({ stringData }) => stringData?.['service-key.pem'] !== undefined)
    .map(({ metadata }) => metadata.name);
  const folder = await mkdtemp(join(tmpdir(), 'witan-cluster-'));
  try {
    const certificates: Secret[] = [];
    for (const service of services) certificates.push(await makeCertificate(service, folder));
    return [...moved, ...stores, ...certificates];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const moveStores = (secret: Secret): Secret => {
  if (secret.stringData === undefined) return secret;
  const entries = Object.entries(secret.stringData).map(([key, value]) => [
    key,
    /-url$/.test(key)
      ? value.replace('@postgres:', '@postgres.postgres:').replace('@nats:', '@nats.nats:')
      : value,
  ]);
  return { ...secret, stringData: Object.fromEntries(entries) as Record<string, string> };
};

const makeCertificate = async (service: string, folder: string): Promise<Secret> => {
  const request = { name: service, subject: `/CN=${service}`, names: `DNS:${service}` };
  await issueCertificate(request, folder);
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: `${service}-tls`, namespace: 'witan' },
    stringData: {
      'tls.crt': await read(`${service}.crt`),
      'tls.key': await read(`${service}.key`),
      'ca.crt': await readFile(AUTHORITY, 'utf8'),
    },
  };
};
