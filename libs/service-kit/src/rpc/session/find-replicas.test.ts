import { describe, expect, it } from '@jest/globals';
import { findReplicas } from './find-replicas.ts';

describe('where the replicas of a service are', () => {
  it.each(['ledger:50051', '127.0.0.1:50051', '[::1]:50051', 'unix:/tmp/socket'])(
    '%s is the only one',
    async (address) => {
      expect(await findReplicas(address)).toEqual([{ target: address }]);
    },
  );

  it('each address of a list is one', async () => {
    const [one, other] = ['127.0.0.1:50051', '127.0.0.2:50051'];
    const replicaAddresses = await findReplicas(`ipv4:${one},${other}`);
    expect(replicaAddresses).toEqual([{ target: one }, { target: other }]);
    expect(await findReplicas('ipv6:[::1]:50051')).toEqual([{ target: '[::1]:50051' }]);
  });

  it.each(['dns:///localhost:50051', 'dns:localhost:50051'])(
    'each address of %s is one, known by that name',
    async (address) => {
      const replicaAddresses = await findReplicas(address);
      expect(replicaAddresses.length).toBeGreaterThan(0);
      for (const { target, name } of replicaAddresses) {
        expect(name).toBe('localhost');
        expect(['127.0.0.1:50051', '[::1]:50051']).toContain(target);
      }
    },
  );
});
