/** Outlines on a grid of 20 units, drawn with a stroke of 1.5. */
const PATHS = {
  agents:
    'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5 8c0-3 2.2-5 5-5s5 2 5 5' +
    'M13.5 9.5a2.5 2.5 0 1 0-1-4.8M14 12c2.4.3 4 2.2 4 5',
  calendar: 'M3.5 5h13v11.5h-13V5Zm0 4h13M7 3v3.5M13 3v3.5',
  calls: 'M3 5h14M3 10h14M3 15h9M15 13.5l1.5 1.5L19 12.5',
  check: 'm4 10.5 4 4 8-9',
  chevron: 'm7 4 6 6-6 6',
  close: 'm5 5 10 10M15 5 5 15',
  copy:
    'M7 7V4.5A1.5 1.5 0 0 1 8.5 3h7A1.5 1.5 0 0 1 17 4.5v7a1.5 1.5 0 0 1-1.5 1.5H13' +
    'M4.5 7h7A1.5 1.5 0 0 1 13 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3' +
    ' 15.5v-7A1.5 1.5 0 0 1 4.5 7Z',
  council:
    'M10 3v3M4 7.5l2.5 1.5M16 7.5 13.5 9M5 16l2-2.5M15 16l-2-2.5' +
    'M10 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  dark: 'M16.5 12A7 7 0 0 1 8 3.5 7 7 0 1 0 16.5 12Z',
  download: 'M10 3v10m-4-4 4 4 4-4M4 17h12',
  failed: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM7.5 7.5l5 5m0-5-5 5',
  filter: 'M3 5h14M6 10h8M8.5 15h3',
  info: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM10 9v4.5M10 6.5v.1',
  key: 'M7 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 7-7m-3.5 3.5L16 9',
  light:
    'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 2v1.5M10 16.5V18M2 10h1.5' +
    'M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  market: 'M3 17h14M5.5 17v-5M10 17V4M14.5 17V8.5',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  more:
    'M4 10a.6.6 0 1 0 1.2 0 .6.6 0 0 0-1.2 0Zm5.4 0a.6.6 0 1 0 1.2 0 .6.6 0 0 0-1.2 0Z' +
    'm5.4 0a.6.6 0 1 0 1.2 0 .6.6 0 0 0-1.2 0Z',
  passed: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM6.5 10.2l2.5 2.5 4.5-5',
  playground: 'M6 4v12l10-6-10-6Z',
  plus: 'M10 4v12M4 10h12',
  refresh: 'M16 5v4h-4M4 15v-4h4M15.5 9A6 6 0 0 0 5 6.5M4.5 11A6 6 0 0 0 15 13.5',
  settings:
    'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z' +
    'M7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  shield: 'M10 2.5 16.5 5v4.5c0 4-2.7 6.7-6.5 8-3.8-1.3-6.5-4-6.5-8V5L10 2.5ZM7 10l2.2 2.2L13.2 8',
  simulations: 'M3 16c3 0 3-9 6.5-9M3 16c4 0 6-3 14-3M3 16c4-.5 5-12 14-12',
  system: 'M3 4.5h14v9H3v-9ZM7 17h6M10 13.5V17',
  tool:
    'M13 3.2a4 4 0 0 0-4.7 5.6L3 14.1 5.9 17l5.3-5.3a4 4 0 0 0 5.6-4.7l-2.6 2.6-2.2-.6' +
    '-.6-2.2L13 3.2Z',
  usage: 'M10 17.5a7.5 7.5 0 1 0-7.5-7.5M10 10l3.5-3.5M4.5 15.5l.1.1',
  user: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6.5 7.5c0-3.5 2.9-5.5 6.5-5.5s6.5 2 6.5 5.5',
  up: 'm4 12.5 6-6 6 6',
  warning: 'M10 3 2.5 16.5h15L10 3Zm0 5v4M10 14.3v.1',
  webhook:
    'M10 8.5a2.5 2.5 0 1 0-2.4-1.8M5.5 16.5a2.5 2.5 0 1 0 .3-5M14.5 16.5a2.5 2.5 0 1 0-2.2-3.7' +
    'M8.8 7.8 5.5 14M11 8l3 5.6M12.1 14H5.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A decoration; the text beside it, or the label of its button, carries the meaning. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    viewBox="0 0 20 20"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);
