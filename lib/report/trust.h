// How far a report's figures can be wrong: what was lost, and what was summed up at a wrong time.
// One place for the page, for gates and for jobs.
#pragma once

#include "report/report.h"

namespace gapscope::report {

// Below these shares nobody needs to be told: of all records, and of the window.
inline constexpr double kNegligibleRecords = 0.001;
inline constexpr double kNegligibleTime = 0.001;
// From here on the page starts with it.
inline constexpr double kAlarmingTime = 0.01;

// Records lost in any way.
double lost_records(const Records& records);
// Those and the ones that came.
double all_records(const Records& records);

// Of the whole run's windows, the share that late device records may have filled though it reads
// as idle, and the share by which steps of the system clock may have moved things.
double late_share(const Report& report);
double clock_step_share(const Report& report);
// Of all calls, those that came too late to be weighed as causes.
double late_calls_share(const Report& report);

// Whether any figure may be off by more than is negligible.
bool bounds_only(const Report& report);

}  // namespace gapscope::report
