import { describe, expect, it } from '@jest/globals';
import { findReplicas } from './watch-replicas.ts';

describe('findReplicas', () => {
  it.each(['ledger:50051', '127.0.0.1:50051', '[::1]:50051', 'unix:/tmp/socket'])(
    'returns %s as the only replica',
    async (address) => {
      expect(await findReplicas(address)).toEqual([{ target: address }]);
    },
  );

  it('returns each address of a list', async () => {
    const [first, second] = ['127.0.0.1:50051', '127.0.0.2:50051'];
    const replicaAddresses = await findReplicas(`ipv4:${first},${second}`);
    expect(replicaAddresses).toEqual([{ target: first }, { target: second }]);
    expect(await findReplicas('ipv6:[::1]:50051')).toEqual([{ target: '[::1]:50051' }]);
  });

  it.each(['dns:///localhost:50051', 'dns:localhost:50051'])(
    'returns each address of %s with that name',
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
