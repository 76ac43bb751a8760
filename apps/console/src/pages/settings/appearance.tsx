import { setTheme, THEMES, useTheme } from '../../app/theme.ts';
import type { Theme } from '../../app/theme.ts';
import { Section } from '../../ui/page.tsx';
import { Radio, RadioGroup } from '../../ui/radio-group.tsx';

const LABELS: Readonly<Record<Theme, string>> = {
  system: 'Like the system',
  light: 'Light',
  dark: 'Dark',
};

export const Appearance = () => (
  <Section title="Appearance" intro="This choice is stored in this browser only.">
    <RadioGroup label="Theme" value={useTheme()} onChange={(theme) => setTheme(theme as Theme)}>
      {THEMES.map((theme) => (
        <Radio key={theme} value={theme}>
          {LABELS[theme]}
        </Radio>
      ))}
    </RadioGroup>
  </Section>
);
