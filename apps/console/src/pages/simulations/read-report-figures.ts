export type ReportFigure = { scenario: string; label: string; text: string };

const isFigure = (value: unknown): value is ReportFigure => {
  if (typeof value !== 'object' || value === null) return false;
  const { scenario, label, text } = value as Record<string, unknown>;
  return [scenario, label, text].every((one) => typeof one === 'string');
};

/** Returns the figures of a report by the name of their scenario; '' is the whole simulation. */
export const readReportFigures = (facts: object): ReadonlyMap<string, readonly ReportFigure[]> => {
  const { facts: listed } = facts as { facts?: unknown };
  return Map.groupBy(
    Array.isArray(listed) ? listed.filter(isFigure) : [],
    ({ scenario }) => scenario,
  );
};
