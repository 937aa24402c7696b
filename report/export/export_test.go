package export

// ErrorCodes is for the tests, which are outside the package because the DBMSs import it.
var ErrorCodes = errorCodes
