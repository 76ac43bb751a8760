/** How many turns the forecast covers, as offered in the page; the API allows up to 40. */
export const FORECAST_TURNS = ['4', '8', '12', '20'] as const;

export type ForecastTurns = (typeof FORECAST_TURNS)[number];

/** What the page of a simulation shows in detail, as in its address. */
export type View = {
  /** The scenario of the forecast and the decisions; by default the oldest active one. */
  scenario?: string;
  forecastTurns?: ForecastTurns;
};

/** Reads the view from an address; drops what is no part of it. */
export const readView = ({ scenario, forecastTurns }: Record<string, unknown>): View => {
  const turns = FORECAST_TURNS.find((one) => one === String(forecastTurns));
  return {
    ...(typeof scenario === 'string' && scenario !== '' ? { scenario } : {}),
    ...(turns === undefined ? {} : { forecastTurns: turns }),
  };
};
