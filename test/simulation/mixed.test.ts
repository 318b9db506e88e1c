import { simulated } from './simulated.ts';

simulated('mixed');
