import { newId } from '@witan/service-kit';
import { captureProviderRequest, runTurns, toChatTarget } from '../agents/chat/measure-turns.ts';
import { openChatTestbed } from '../agents/chat/open-chat-testbed.ts';
import type { ChatSystem } from '../agents/chat/summarize-turns.ts';
import type { BenchContext } from '../bench.ts';
import { measureDebates } from '../debates/measure-debates.ts';
import type { DebateTally } from '../debates/measure-debates.ts';
import { openDebateTestbed } from '../debates/open-debate-testbed.ts';
import { createGatewayTarget } from '../gateway/create-target.ts';
import { BUSY, GATEWAY_LOADS, MAIN_LOADS } from '../gateway/gateway-loads.ts';
import { openHttpClients, openProvider, openWitan } from '../gateway/open-systems.ts';
import type { HttpClients, Provider } from '../gateway/open-systems.ts';
import { certifyTarget, openCertifier, openLedger } from '../ledger/create-targets.ts';
import { monotonicMs } from '../load/latency-summary.ts';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import { measurePath } from '../webhooks/measure-events.ts';
import { measureSending } from '../webhooks/measure-sending.ts';
import { openWebhookTestbed } from '../webhooks/open-webhook-testbed.ts';
import { openWebhookGroup } from '../webhooks/webhook-group.ts';
import { CONNECTION_MODES, toPathLoad } from '../webhooks/webhook-row.ts';
import type { WebhookMeasurement } from '../webhooks/webhook-row.ts';
import { printProfilesOf, profileLoad } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

type SharedProcesses = { provider: Provider; clients: HttpClients };

/**
 * Prints the CPU use of every process of Witan by function at full load: of the gateway, plain and
 * streamed, in one process and in separate ones, and, unless loads are chosen, of the metered
 * ledger with many callers.
 */
export const runProfile = async (context: BenchContext): Promise<void> => {
  const { stateDir, resources } = context;
  const sharedProcesses = {
    provider: await openProvider(stateDir, resources),
    clients: await openHttpClients(stateDir, resources),
  };
  for (const mode of ['standalone', 'processes'] as const) {
    await profileGateway(mode, sharedProcesses, context);
  }
  if (!context.choice.loads) await profileLedger(context);
};

const profileGateway = (
  mode: 'standalone' | 'processes',
  sharedProcesses: SharedProcesses,
  context: BenchContext,
): Promise<void> =>
  printProfilesOf(mode, context, async (profileDir, resources) => {
    const { stateDir, preset, choice, log } = context;
    const providerUrl = sharedProcesses.provider.ready.url;
    const options = { mode, stateDir, providerUrl, profileDir } as const;
    const system = await openWitan(options, resources);
    const inFlight = choice.inFlight?.[0] ?? BUSY;
    const profiledRuns: ProfiledRun[] = [];
    const loadNames = choice.loads ?? MAIN_LOADS;
    for (const load of GATEWAY_LOADS.filter(({ name }) => loadNames.includes(name))) {
      log(`profiling ${system.name}, ${load.name}`);
      const target = createGatewayTarget({ system, load, ...sharedProcesses, ids: [] });
      profiledRuns.push(await profileLoad(load.name, target, { inFlight, preset }));
    }
    return { system: system.name, processes: system.processes, profiledRuns };
  });

const profileLedger = (context: BenchContext): Promise<void> =>
  printProfilesOf('ledger', context, async (profileDir, resources) => {
    const { stateDir, preset, log } = context;
    const ledger = await openLedger({ stateDir, metering: 'metered', profileDir }, resources);
    const certifier = await openCertifier(ledger, stateDir, resources);
    const workspaceIds = [newId('ws')];
    const target = certifyTarget({ ledger, certifier, workspaceIds, ids: new Map() });
    const inFlight = Math.max(...preset.ledger.callers);
    log(`profiling the ledger, ${inFlight} callers`);
    const profiledRun = await profileLoad('certify, metered', target, { inFlight, preset });
    const system = `${inFlight} callers`;
    return { system, processes: target.counted, profiledRuns: [profiledRun] };
  });

const SYSTEMS: readonly ChatSystem[] = ['completion', 'turn', 'turn, streamed'];

/** Prints the CPU use of chat turns by function, and for comparison that of completions. */
export const profileAgents = (context: BenchContext): Promise<void> =>
  printProfilesOf('agents', context, async (profileDir, resources) => {
    const { preset, log } = context;
    const testbed = await openChatTestbed(context, resources, { profileDir });
    const prompt = await captureProviderRequest(testbed);
    const inFlight = Math.max(...preset.agents.chat.inFlight);
    const maxCalls = testbed.chat.sessions.length;
    const profiledRuns: ProfiledRun[] = [];
    for (const system of SYSTEMS) {
      log(`profiling ${system}`);
      const target = toChatTarget(testbed, { system, delayMs: 0, prompt });
      const run = (limits: LoadLimits) =>
        runTurns(testbed, target, { ...limits, maxCalls: Math.min(limits.maxCalls, maxCalls) });
      const load = { ...target.measuredProcesses, run };
      profiledRuns.push(await profileLoad(system, load, { inFlight, preset }));
    }
    return { system: testbed.witan.name, processes: testbed.witan.processes, profiledRuns };
  });

const AGENTS = 8;
/** Maximum number of debates per profile, which yields enough samples within a minute. */
const DEBATES_MAX = 100;
/** Approximate duration of one debate, from which the number of debates is chosen. */
const DEBATE_MS = 200;

/** Prints the CPU use of debates by function, with a provider that answers without delay. */
export const profileDebates = (context: BenchContext): Promise<void> =>
  printProfilesOf('debates', context, async (profileDir, resources) => {
    const { preset, log } = context;
    const testbed = await openDebateTestbed(context, resources, { profileDir });
    const tally: DebateTally = { lastQuestion: 0, ids: [], calls: 0 };
    await testbed.replaceAgents(AGENTS);
    const profiledRuns: ProfiledRun[] = [];
    for (const inFlight of [1, preset.debates.crowd.debates]) {
      const name = `debates of ${AGENTS}, ${inFlight} at once`;
      log(`profiling ${name}`);
      const run = async ({ maxMs, maxCalls }: LoadLimits) => {
        const most = Math.min(DEBATES_MAX, maxCalls, Math.ceil(maxMs / DEBATE_MS));
        const debates = Math.max(inFlight, most);
        const load = { agents: AGENTS, delayMs: 0, inFlight, debates };
        const { wallMs: latencyMs, perSecond } = await measureDebates(testbed, load, tally);
        return { calls: debates, latencyMs, perSecond, elapsedMs: (debates / perSecond) * 1_000 };
      };
      const target = { counted: testbed.witan.processes, bystanders: {}, run };
      profiledRuns.push(await profileLoad(name, target, { inFlight, preset }));
    }
    return { system: testbed.witan.name, processes: testbed.witan.processes, profiledRuns };
  });

const PER_WORKSPACE = 10;
const PATH_WEBHOOKS = 10;
const MICROS_PER_MS = 1_000;

/**
 * Prints the notifier's CPU use by function, for pending deliveries to the largest number of
 * webhooks and for events from outbox to POST.
 */
export const profileWebhooks = (context: BenchContext): Promise<void> =>
  printProfilesOf('webhooks', context, async (profileDir, resources) => {
    const { preset, log } = context;
    const testbed = await openWebhookTestbed({ ...context, resources }, { profileDir });
    const { deliveries, warmUpDeliveries, pathEvents } = preset.webhooks;
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
