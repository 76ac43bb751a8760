import { exactExp, exactLog } from '../number/exact-math.ts';
import { fix, INDEX_SCALE, PERCENT, PERCENT_A_YEAR } from '../number/fix.ts';
import type { Workbench } from '../turn/workbench.ts';

/** Quarters until a new employee is an expert. */
const APPRENTICESHIP = 4;
/** Of an expert's work, what a rookie does; and what looking after one costs an expert. */
const [ROOKIE_WORK, SUPERVISION] = [0.5, 0.25] as const;
/**
 * Of those who are told to cut costs, more look for another place; points a quarter for each point.
 */
const COST_PROGRAM_QUITS = 0.1;
/** Percent a year: technology that everybody can buy. */
const TECHNOLOGY = 1.5;
/** Paid to who is dismissed, in years' wages. */
const SEVERANCE = 0.25;
const [STAFF_MAX, WAGE_MAX, PRODUCTIVITY_MAX] = [1e9, 1e24, 1e6] as const;

/** People leave, are hired and learn; then what they and the plant can serve. Answers severance. */
export const stepLabour = ({ company, world, levers, shock, sector }: Workbench): number => {
  const staff = company.rookies + company.experts;
  const quits = (sector.quitPct + COST_PROGRAM_QUITS * levers.costProgram) * PERCENT;
  const target = Math.min(STAFF_MAX, Math.max(1, staff * (1 + levers.headcountChange * PERCENT)));
  const staying = staff * (1 - quits);
  const hired = Math.max(0, target - staying) * (1 - shock.unfilledPct * PERCENT);
  const dismissed = Math.max(0, staying - target);
  const kept = (staying - dismissed) / staff;

  const learnt = (company.rookies * kept) / APPRENTICESHIP;
  const rookies = company.rookies * kept - learnt + hired;
  const experts = company.experts * kept + learnt;
  company.rookies = fix(rookies, INDEX_SCALE);
  // The founder stays.
  company.experts = fix(Math.max(experts, 1 - company.rookies), INDEX_SCALE);
  company.employees = Math.round(company.rookies + company.experts);
  const severance = dismissed * company.wage * SEVERANCE;
  const wage = company.wage * (1 + world.wageGrowth * PERCENT_A_YEAR);
  company.wage = fix(Math.min(WAGE_MAX, wage), company.moneyScale);

  const productivity = company.productivity * (1 + TECHNOLOGY * PERCENT_A_YEAR);
  company.productivity = fix(Math.min(PRODUCTIVITY_MAX, productivity), INDEX_SCALE);
  return severance;
};

/** Customers' worth that the people and the plant can serve in this quarter. */
export const stepCapacity = ({ company, world, sector }: Workbench): void => {
  const labour = labourOf(company.rookies, company.experts) / company.labourAtStart;
  const plant = company.plant / world.priceLevel / company.plantAtStart;
  const weighed =
    (1 - sector.plantWeight) * exactLog(Math.max(labour, 1e-9)) +
    sector.plantWeight * exactLog(Math.max(plant, 1e-3));
  const capacity = company.capacityAtStart * company.productivity * exactExp(weighed);
  company.capacity = fix(capacity, company.unitScale);
};

/** Experts' worth of work; every rookie keeps an expert from some of it, while there are any. */
export const labourOf = (rookies: number, experts: number): number =>
  experts + ROOKIE_WORK * rookies - SUPERVISION * Math.min(rookies, experts);
