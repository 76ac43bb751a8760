import { optionsFor, startReplica } from './open-simulation.ts';
import { scriptCouncil } from './script-council.ts';
import { scriptWriter } from './script-writer.ts';

type Task = { databaseUrl: string; workspaceId: string; simulationId: string };

const { databaseUrl, workspaceId, simulationId } = JSON.parse(process.argv[2]!) as Task;
const environment = { databaseUrl, council: scriptCouncil(), writer: scriptWriter() };
await using service = await startReplica(environment);
const replay = await service.simulations.replay({ simulationId }, optionsFor(workspaceId));
const { matches, turns, mismatches } = replay;
process.stdout.write(JSON.stringify({ matches, turns, mismatches }));
