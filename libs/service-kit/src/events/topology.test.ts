import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { topology as declared } from '@witan/contracts/topology';
import { NATS_MISSING, openTestNats } from '@witan/testing';
import type { TestNats } from '@witan/testing';
import { EVENT_STREAM } from './event.ts';
import { applyTopology } from './topology.ts';
import type { Topology } from './topology.ts';

const describeBroker = NATS_MISSING ? describe.skip : describe;
const FOREIGN = { name: 'OTHER', subjects: ['other'] };
const DAY_NANOS = 24 * 3_600 * 1e9;

describeBroker(`the topology${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let server: TestNats;
  beforeAll(async () => {
    server = (await openTestNats())!;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  const changesOf = async (topology: Topology): Promise<string[]> =>
    (await applyTopology(server.url, topology)).map(({ change }) => change);

  it('is added, left unchanged if it exists, and updated if it differs', async () => {
    const { name, filter } = declared.consumers[0]!;
    const [stream] = declared.streams;
    expect(stream!.name).toBe(EVENT_STREAM);
    const connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add(FOREIGN);
    expect(await changesOf(declared)).toEqual(['added', 'added']);
    expect(await changesOf(declared)).toEqual(['unchanged', 'unchanged']);
    const changed = {
      streams: [{ ...stream!, maxAgeHours: 24 }],
      consumers: [{ ...declared.consumers[0]!, ackWaitSeconds: 60 }],
    };
    expect(await changesOf(changed)).toEqual(['updated', 'updated']);
    const { config } = await manager.streams.info(EVENT_STREAM);
    expect([config.max_age, config.subjects]).toEqual([DAY_NANOS, stream!.subjects]);
    const consumer = await manager.consumers.info(EVENT_STREAM, name);
    expect(consumer.config).toMatchObject({
      filter_subject: filter,
      ack_wait: 60e9,
      max_deliver: -1,
      ack_policy: 'explicit',
    });
    expect((await manager.streams.info(FOREIGN.name)).config.subjects).toEqual(FOREIGN.subjects);
    await connection.close();
  });

  it('is not applied if the broker is unreachable', async () => {
    await expect(applyTopology('nats://127.0.0.1:1', declared)).rejects.toThrow('refused');
  });
});
