import * as exactMath from '../number/exact-math.ts';
import type { DraftTurn } from '../turn/draft-turn.ts';

// A constant of this module is faster than an imported one, which V8 checks at each use.
const { exactExp, exactLog, roundToScale, INDEX_SCALE, PERCENT, PERCENT_PER_YEAR } = exactMath;

const QUARTERS_TO_EXPERT = 4;
/**
 * Work that a rookie does, and work of experts that training a rookie takes, in units of one
 * expert's work.
 */
const [ROOKIE_PRODUCTIVITY, SUPERVISION] = [0.5, 0.25] as const;
const COST_PROGRAM_QUITS = 0.1;
/** Percent of the staff that leaves an insolvent company per quarter, beside the usual quits. */
const UNPAID_QUITS = 25;
/** Growth of productivity through general technical progress, in percent per year. */
const TECHNOLOGY = 1.5;
const SEVERANCE = 0.25;
const [STAFF_MAX, WAGE_MAX, PRODUCTIVITY_MAX] = [1e9, 1e24, 1e6] as const;

/**
 * Updates staff, wages and productivity for one quarter. Returns the severance to pay. An insolvent
 * company hires no staff, and unpaid staff leaves.
 */
export const stepLabour = ({ company, world, levers, shock, sector }: DraftTurn): number => {
  const staff = company.rookies + company.experts;
  const unpaidQuits = company.isInsolvent ? UNPAID_QUITS : 0;
  const quitPct = sector.quitPct + COST_PROGRAM_QUITS * levers.costProgram + unpaidQuits;
  const stayingStaff = staff * (1 - quitPct * PERCENT);
  const wanted = Math.min(STAFF_MAX, Math.max(1, staff * (1 + levers.headcountChange * PERCENT)));
  const target = company.isInsolvent ? Math.min(wanted, stayingStaff) : wanted;
  const hired = Math.max(0, target - stayingStaff) * (1 - shock.unfilledPct * PERCENT);
  const dismissed = Math.max(0, stayingStaff - target);
  const retainedShare = (stayingStaff - dismissed) / staff;

  const promoted = (company.rookies * retainedShare) / QUARTERS_TO_EXPERT;
  const rookies = company.rookies * retainedShare - promoted + hired;
  const experts = company.experts * retainedShare + promoted;
  company.rookies = roundToScale(rookies, INDEX_SCALE);
  // At least one employee, the founder, stays.
  company.experts = roundToScale(Math.max(experts, 1 - company.rookies), INDEX_SCALE);
  company.employees = Math.round(company.rookies + company.experts);
  const severance = dismissed * company.wage * SEVERANCE;
  const wage = company.wage * (1 + world.wageGrowth * PERCENT_PER_YEAR);
  company.wage = roundToScale(Math.min(WAGE_MAX, wage), company.moneyScale);

  const productivity = company.productivity * (1 + TECHNOLOGY * PERCENT_PER_YEAR);
  company.productivity = roundToScale(Math.min(PRODUCTIVITY_MAX, productivity), INDEX_SCALE);
  return severance;
};

export const stepCapacity = ({ company, world, sector }: DraftTurn): void => {
  const labour = labourOf(company.rookies, company.experts) / company.labourAtStart;
  const plant = company.plant / world.priceLevel / company.plantAtStart;
  const logCapacity =
    (1 - sector.plantWeight) * exactLog(Math.max(labour, 1e-9)) +
    sector.plantWeight * exactLog(Math.max(plant, 1e-3));
  const capacity = company.capacityAtStart * company.productivity * exactExp(logCapacity);
  company.capacity = roundToScale(capacity, company.unitScale);
};

/**
 * Returns the staff's work in units of one expert's work, less the time that experts spend on
 * training rookies.
 */
export const labourOf = (rookies: number, experts: number): number =>
  experts + ROOKIE_PRODUCTIVITY * rookies - SUPERVISION * Math.min(rookies, experts);
