import { create, toBinary } from '@bufbuild/protobuf';
import { SimulationReportReadySchema, SimulationTickCompletedSchema } from '@witan/contracts';
import { writeEvent } from '@witan/service-kit';
import type { Transaction } from '@witan/service-kit';
import type { HeldSimulation } from '../domain/turn/turn-store.ts';

/** Tells the world, if the transaction commits, of a turn (Seed 6). */
export const tellTickCompleted = async (
  em: Transaction,
  { workspaceId, simulationId }: HeldSimulation,
  { turn, stateCount }: { turn: number; stateCount: number },
): Promise<void> => {
  const message = create(SimulationTickCompletedSchema, { simulationId, turn, stateCount });
  const payload = toBinary(SimulationTickCompletedSchema, message);
  await writeEvent(em, { workspaceId, type: 'simulation.tick.completed', payload });
};

/** The same of the report of a simulation. */
export const tellReportReady = async (
  em: Transaction,
  { workspaceId, simulationId }: HeldSimulation,
  { name, turnsCompleted }: { name: string; turnsCompleted: number },
): Promise<void> => {
  const message = create(SimulationReportReadySchema, { simulationId, name, turnsCompleted });
  const payload = toBinary(SimulationReportReadySchema, message);
  await writeEvent(em, { workspaceId, type: 'simulation.report.ready', payload });
};
