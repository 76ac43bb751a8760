import { newId } from '@witan/service-kit';
import type { BenchContext } from '../bench.ts';
import { createGatewayTarget } from '../gateway/create-target.ts';
import { GATEWAY_LOADS } from '../gateway/gateway-loads.ts';
import { openHttpClients, openProvider, openWitan } from '../gateway/open-systems.ts';
import type { HttpClients, Provider } from '../gateway/open-systems.ts';
import { certifyTarget, openCertifier } from '../ledger/create-targets.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { printProfilesOf, profileLoad } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

type SharedProcesses = { provider: Provider; clients: HttpClients };

/** Gateway loads that are profiled unless others are chosen. */
const DEFAULT_LOADS: readonly string[] = ['chat-plain', 'chat-streamed'];

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
    const { stateDir, pace, choice, log } = context;
    const providerUrl = sharedProcesses.provider.ready.url;
    const metering = 'unmetered';
    const options = { mode, metering, stateDir, providerUrl, profileDir } as const;
    const system = await openWitan(options, resources);
    const inFlight = choice.inFlight?.[0] ?? pace.gateway.inFlight.busy[0]!;
    const profiledRuns: ProfiledRun[] = [];
    const loadNames = choice.loads ?? DEFAULT_LOADS;
    for (const load of GATEWAY_LOADS.filter(({ name }) => loadNames.includes(name))) {
      log(`profiling ${system.name}, ${load.name}`);
      const target = createGatewayTarget({ system, load, ...sharedProcesses, ids: [] });
      profiledRuns.push(await profileLoad(load.name, target, { inFlight, pace }));
    }
    return { system: system.name, processes: system.processes, profiledRuns };
  });

const profileLedger = (context: BenchContext): Promise<void> =>
  printProfilesOf('ledger', context, async (profileDir, resources) => {
    const { stateDir, pace, log } = context;
    const ledger = await openLedger({ stateDir, metering: 'metered', profileDir }, resources);
    const certifier = await openCertifier(ledger, stateDir, resources);
    const workspaceIds = [newId('ws')];
    const target = certifyTarget({ ledger, certifier, workspaceIds, ids: new Map() });
    const inFlight = Math.max(...pace.ledger.callers);
    log(`profiling the ledger, ${inFlight} callers`);
    const profiledRun = await profileLoad('certify, metered', target, { inFlight, pace });
    const system = `${inFlight} callers`;
    return { system, processes: target.counted, profiledRuns: [profiledRun] };
  });
