import { simulated } from './simulated.ts';

simulated('calm');
