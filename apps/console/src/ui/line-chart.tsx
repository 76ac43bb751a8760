import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import css from './line-chart.module.css';

type LineChartProps = {
  /** What the chart shows, with its values, for readers who do not see it. */
  label: string;
  /** Whole numbers of the horizontal axis. */
  positions: readonly number[];
  /** Values between 0 and 1, shown in percent. */
  shares: readonly number[];
};

const HEIGHT = 132;

/** A line of shares, in the colors of the theme. Its height does not depend on its data. */
export const LineChart = ({ label, positions, shares }: LineChartProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const points = JSON.stringify([positions, shares]);
  useEffect(() => {
    const element = frame.current!;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(toOptions(element), JSON.parse(points) as uPlot.AlignedData, element);
    };
    draw();
    const sizes = new ResizeObserver(() =>
      plot?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    sizes.observe(element);
    const themes = new MutationObserver(draw);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      themes.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [points]);
  return <div ref={frame} className={css.frame} role="img" aria-label={label} />;
};

/** A canvas needs computed colors: it knows neither custom properties nor `light-dark()`. */
const colorOf = (element: HTMLElement, token: string): string => {
  element.style.color = `var(${token})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
};

const toOptions = (element: HTMLElement): uPlot.Options => {
  const line = colorOf(element, '--accent');
  const text = colorOf(element, '--text-muted');
  const grid = { stroke: colorOf(element, '--border'), width: 1 };
  const axis = { stroke: text, ticks: { show: false }, font: '12px system-ui, sans-serif' };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [10, 14, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: (_, first, last) => [first - 0.5, last + 0.5] },
      y: { range: [0, 1] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        splits: ({ data: [rounds] }) => [...rounds],
        values: (_, rounds) => rounds.map(String),
      },
      {
        ...axis,
        size: 48,
        grid,
        splits: [0, 0.5, 1],
        values: (_, shares) => shares.map((share) => `${Math.round(share * 100)} %`),
      },
    ],
    series: [
      {},
      {
        stroke: line,
        width: 2,
        points: { show: true, size: 8, fill: line, stroke: line },
      },
    ],
  };
};
