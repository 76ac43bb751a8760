import type { ReactNode } from 'react';
import { Label } from 'react-aria-components/Label';
import { Radio as AriaRadio, RadioGroup as AriaRadioGroup } from 'react-aria-components/RadioGroup';
import css from './field.module.css';

type RadioGroupProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
};

export const RadioGroup = ({ label, children, ...props }: RadioGroupProps) => (
  <AriaRadioGroup {...props} className={css.field}>
    <Label className={css.label}>{label}</Label>
    {children}
  </AriaRadioGroup>
);

export const Radio = ({ value, children }: { value: string; children: ReactNode }) => (
  <AriaRadio value={value} className={css.box}>
    <span className={`${css.mark} ${css.dot}`} aria-hidden="true" />
    {children}
  </AriaRadio>
);
