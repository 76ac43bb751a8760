import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@witan/service-kit';
import type { BenchContext } from '../bench.ts';
import { createGatewayTarget } from '../gateway/create-target.ts';
import { GATEWAY_LOADS } from '../gateway/gateway-loads.ts';
import { openLoadGenerator, openProvider, openWitan } from '../gateway/open-systems.ts';
import type { LoadGenerator, Provider } from '../gateway/open-systems.ts';
import { certifyTarget, openCertifier } from '../ledger/create-targets.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { printProfiles, profileLoad } from './profile-load.ts';
import type { ProfiledRun } from './profile-load.ts';

type SharedProcesses = { provider: Provider; clients: LoadGenerator };

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
    clients: await openLoadGenerator(stateDir, resources),
  };
  for (const mode of ['standalone', 'processes'] as const) {
    await profileGateway(mode, sharedProcesses, context);
  }
  if (!context.choice.loads) await profileLedger(context);
};

const profileGateway = async (
  mode: 'standalone' | 'processes',
  sharedProcesses: SharedProcesses,
  { stateDir, pace, choice, resources, log }: BenchContext,
): Promise<void> => {
  const profileDir = await makeProfileDir(stateDir, mode);
  const ownResources = resources.use(new AsyncDisposableStack());
  const providerUrl = sharedProcesses.provider.ready.url;
  const metering = 'unmetered';
  const system = await openWitan(
    { mode, metering, stateDir, providerUrl, profileDir },
    ownResources,
  );
  const inFlight = choice.inFlight?.[0] ?? pace.gateway.inFlight.busy[0]!;
  const profiledRuns: ProfiledRun[] = [];
  const loadNames = choice.loads ?? DEFAULT_LOADS;
  for (const load of GATEWAY_LOADS.filter(({ name }) => loadNames.includes(name))) {
    log(`profiling ${system.name}, ${load.name}`);
    const target = createGatewayTarget({ system, load, ...sharedProcesses, ids: [] });
    profiledRuns.push(await profileLoad(load.name, target, { inFlight, pace }));
  }
  // Node writes the profiles when the processes end.
  await ownResources.disposeAsync();
  await printProfiles(profileDir, system.processes, { system: system.name, profiledRuns });
};

const profileLedger = async ({ stateDir, pace, resources, log }: BenchContext): Promise<void> => {
  const profileDir = await makeProfileDir(stateDir, 'ledger');
  const ownResources = resources.use(new AsyncDisposableStack());
  const ledger = await openLedger({ stateDir, metering: 'metered', profileDir }, ownResources);
  const certifier = ownResources.use(await openCertifier(ledger, stateDir));
  const workspaceIds = [newId('ws')];
  const target = certifyTarget({ ledger, certifier, workspaceIds, ids: new Map() });
  const inFlight = Math.max(...pace.ledger.callers);
  log(`profiling the ledger, ${inFlight} callers`);
  const profiledRun = await profileLoad('certify, metered', target, { inFlight, pace });
  await ownResources.disposeAsync();
  const system = `${inFlight} callers`;
  await printProfiles(profileDir, target.counted, { system, profiledRuns: [profiledRun] });
};

const makeProfileDir = async (stateDir: string, name: string): Promise<string> => {
  const dir = join(stateDir, `profiles-${name}`);
  await mkdir(dir);
  return dir;
};
