import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, NATS_MISSING } from '@witan/testing';
import { Registry } from 'prom-client';
import { openNatsFixture, TOPOLOGY } from '../../test/events/open-event-fixture.ts';
import type { NatsFixture } from '../../test/events/open-event-fixture.ts';

const idOf = ({ headers }: { headers: Record<string, string> }): string => headers['Nats-Msg-Id']!;
const UNPUBLISHED = 'SELECT id FROM outbox WHERE published_at IS NULL AND dead_at IS NULL';

const itWithBroker = NATS_MISSING ? it.skip : it;

describe(`a relay to JetStream${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let fixture: NatsFixture;
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });
  const isOutboxEmpty = async (): Promise<boolean> =>
    (await fixture.rows(UNPUBLISHED)).length === 0;

  itWithBroker('publishes the backlog of an outage in order, at most twice', async () => {
    fixture = await openNatsFixture();
    fixture.relay();
    const before = await fixture.write({}, {}, {});
    await eventually(isOutboxEmpty);
    await fixture.server.kill('SIGKILL');
    const during = await fixture.write(...Array.from({ length: 250 }, () => ({})));
    await fixture.server.restart();
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual([...before, ...during]);
  });

  itWithBroker('loses no event when the broker is killed repeatedly under load', async () => {
    fixture = await openNatsFixture();
    fixture.relay();
    const ids: string[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      const writing = fixture.write(...Array.from({ length: 150 }, () => ({})));
      await eventually(async () => (await fixture.stored()).length > ids.length + 20);
      await fixture.server.kill('SIGKILL');
      ids.push(...(await writing));
      await fixture.server.restart();
    }
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual(ids);
  });

  itWithBroker('republishes events that the broker acknowledged and lost', async () => {
    fixture = await openNatsFixture();
    fixture.relay();
    const ids = await fixture.write({}, {}, {});
    await eventually(isOutboxEmpty);
    await fixture.server.wipe();
    await fixture.server.restart();
    const [laterId] = await fixture.write({});
    const stored = async (): Promise<string[]> =>
      (await fixture.stored().catch(() => [])).map(idOf);
    await eventually(async () => (await stored()).length === 4);
    expect(new Set(await stored())).toEqual(new Set([...ids, laterId]));
  });

  itWithBroker('publishes once and in order when two relays run', async () => {
    fixture = await openNatsFixture();
    const otherDatabase = await fixture.openDatabase();
    fixture.relay();
    fixture.relay({ database: otherDatabase, events: await fixture.openEvents() });
    const ids = await fixture.write(...Array.from({ length: 200 }, () => ({})));
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual(ids);
  });

  itWithBroker('marks oversized or rejected events dead, and publishes later ones', async () => {
    fixture = await openNatsFixture();
    await fixture.manage((manager) => manager.streams.update('EVENTS', { max_msg_size: 10_000 }));
    const registry = new Registry();
    const [tooLargeId, refusedId, acceptedId] = await fixture.write(
      { payload: new Uint8Array(2 * 1024 * 1024) },
      { payload: new Uint8Array(20_000) },
      {},
    );
    fixture.relay({ registry });
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual([acceptedId]);
    const dead = 'SELECT id, error_class FROM outbox WHERE dead_at IS NOT NULL ORDER BY position';
    expect(await fixture.rows(dead)).toEqual([
      { id: tooLargeId, error_class: 'too_large' },
      { id: refusedId, error_class: 'too_large' },
    ]);
    const { values } = await registry.getSingleMetric('outbox_dead_total')!.get();
    expect(values).toEqual([{ labels: { error_class: 'too_large' }, value: 2 }]);
  });

  itWithBroker('retains events without a stream, and recreates the stream', async () => {
    fixture = await openNatsFixture();
    await fixture.manage((manager) => manager.streams.delete('EVENTS'));
    const ids = await fixture.write({}, {});
    fixture.relay();
    await eventually(isOutboxEmpty);
    expect((await fixture.stored()).map(idOf)).toEqual(ids);
    const streams = await fixture.manage((manager) => manager.streams.info('EVENTS'));
    expect(streams.config.subjects).toEqual(TOPOLOGY.streams[0]!.subjects);
  });
});
