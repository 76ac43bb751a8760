import { join } from 'node:path';
import { NODES } from '../config.ts';

/** Enough for overlays/dev (2) and then for a database and three brokers (4). */
export const VOLUMES = ['volume1', 'volume2', 'volume3', 'volume4', 'volume5', 'volume6'] as const;

/**
 * Returns volumes without a storage class in folders of the first node. `fsGroup` applies to
 * volumes of the kind `local`, but not to `hostPath`.
 */
export const toVolumes = (folder: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: VOLUMES.map((name) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        local: { path: join(folder, name) },
        nodeAffinity: { required: { nodeSelectorTerms: [ON_FIRST_NODE] } },
      },
    })),
  });

const ON_FIRST_NODE = {
  matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODES[0].name] }],
};
