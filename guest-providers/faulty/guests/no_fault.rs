//! Does nothing wrong: what the faulty ones are spoiled from.

use keyhost_faulty_guests::sample::Sample;

struct NoFault;

impl Sample for NoFault {}

keyhost_faulty_guests::sample!(NoFault);
