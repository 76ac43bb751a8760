import type { BenchContext } from '../bench.ts';
import { monotonicMs } from '../load/monotonic-clock.ts';
import { measurePath } from '../webhooks/measure-events.ts';
import { measureSending } from '../webhooks/measure-sending.ts';
import { openWebhookTestbed } from '../webhooks/open-webhook-testbed.ts';
import { openWebhookGroup } from '../webhooks/webhook-group.ts';
import { CONNECTION_MODES, toPathLoad } from '../webhooks/webhook-row.ts';
import type { WebhookMeasurement } from '../webhooks/webhook-row.ts';
import { printProfilesOf } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

const PER_WORKSPACE = 10;
const PATH_WEBHOOKS = 10;
const MICROS_PER_MS = 1_000;

/**
 * Prints the notifier's CPU use by function, for pending deliveries to the largest number of
 * webhooks and for events from outbox to POST.
 */
export const profileWebhooks = (context: BenchContext): Promise<void> =>
  printProfilesOf('webhooks', context, async (profileDir, resources) => {
    const { pace, log } = context;
    const testbed = await openWebhookTestbed({ ...context, resources }, { profileDir });
    const { deliveries, warmUpDeliveries, pathEvents } = pace.webhooks;
    const webhooks = Math.max(...Object.keys(deliveries).map(Number));
    const profiledRuns: ProfiledRun[] = [];
    const profile = async (load: string, run: () => Promise<WebhookMeasurement>): Promise<void> => {
      log(`profiling ${load}`);
      const from = monotonicMs() * MICROS_PER_MS;
      const { cpuPer1000By } = await run();
      const window = { from, to: monotonicMs() * MICROS_PER_MS };
      profiledRuns.push({ load, window, cpuPer1000By });
    };
    for (const connection of CONNECTION_MODES) {
      const options = { connection, webhooks, perWorkspace: PER_WORKSPACE };
      const group = await openWebhookGroup(testbed, options);
      await measureSending(testbed, group, warmUpDeliveries);
      const calls = deliveries[webhooks]!;
      await profile(`deliveries, ${connection}`, () => measureSending(testbed, group, calls));
    }
    const options = { connection: 'reused', webhooks: PATH_WEBHOOKS, perWorkspace: 1 } as const;
    const path = await openWebhookGroup(testbed, options);
    await measurePath(testbed, path, warmUpDeliveries);
    await profile(toPathLoad('reused'), () => measurePath(testbed, path, pathEvents));
    const processes = { notifier: testbed.notifier.pid };
    return { system: `${webhooks} webhooks`, processes, profiledRuns };
  });
