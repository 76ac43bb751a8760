import { useQuery } from '@tanstack/react-query';
import { Chart, chartColor } from '../../ui/chart.tsx';
import type { DayRange } from '../../ui/day.ts';
import { formatCost, formatCount } from '../../ui/format.ts';
import { Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { usageQuery } from './usage-query.ts';
import type { UsageRow } from './usage-query.ts';
import { fromDayNumber, toDayNumber } from './usage-search.ts';
import type { Grouping, Measure } from './usage-search.ts';
import { DAYS_MAX, toSeries } from './usage-series.ts';

type UsageChartProps = {
  range: DayRange;
  by: Grouping;
  measure: Measure;
  nameOf: (row: UsageRow) => string;
};

/** Tokens or cost of each day, with a line for each of the largest groups. */
export const UsageChart = (props: UsageChartProps) => {
  const { range } = props;
  const isTooLong = toDayNumber(range.to) - toDayNumber(range.from) >= DAYS_MAX;
  return (
    <Section>
      {isTooLong ? (
        <Notice>Choose at most {formatCount(DAYS_MAX)} days to see a chart of them.</Notice>
      ) : (
        <DailyChart {...props} />
      )}
    </Section>
  );
};

const DailyChart = ({ range, by, measure, nameOf }: UsageChartProps) => {
  const groupBy: Grouping[] = by === 'day' ? ['day'] : ['day', by];
  const usage = useQuery(usageQuery({ ...range, groupBy }));
  if (usage.isPending) return <Skeleton lines={9} />;
  if (usage.isError) return <Failure error={usage.error} onRetry={() => void usage.refetch()} />;
  const { x, lines } = toSeries(usage.data.usage, { range, by, measure, nameOf });
  const isCost = measure === 'cost';
  return (
    <Chart
      title={isCost ? 'Cost by day' : 'Tokens by day'}
      unit={isCost ? 'US dollars, of calls with a price' : 'prompt and completion tokens'}
      x={x}
      formatX={(day) => axisDay.format(new Date(fromDayNumber(day)))}
      format={isCost ? formatDollars : formatCount}
      lines={lines.map((line, index) => ({ ...line, color: chartColor(index) }))}
    />
  );
};

/** Without the year, so that the labels of an axis have room; the filters above show the year. */
const axisDay = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

const formatDollars = (dollars: number): string => formatCost({ micros: dollars * 1_000_000 });
